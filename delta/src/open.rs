//! Opens the store of a URL's authority, and the type behind the C handle.
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use delta_kernel::object_store::aws::AmazonS3Builder;
use delta_kernel::object_store::azure::MicrosoftAzureBuilder;
use delta_kernel::object_store::gcp::GoogleCloudStorageBuilder;
use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::{Error, ObjectStore};
use url::Url;

use crate::execution::{run_here, runtime};
use crate::ffi::{Failure, Outcome};
use crate::local_disk::LocalDisk;
use crate::watched::WatchedStore;

pub struct ArStore {
    pub store: Arc<WatchedStore>,
    pub base_url: String,
    pub local: bool,
}

impl ArStore {
    /// Runs a request on this thread; network stores need the runtime's reactor beneath it.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        if self.local {
            run_here(future)
        } else {
            runtime().block_on(future)
        }
    }

    pub fn key(&self, path: &str) -> Outcome<Path> {
        Path::parse(path)
            .map_err(|e| Failure::invalid(format!("'{}{path}' is no object's name: {e}", self.base_url)))
    }

    pub fn failure(&self, path: &str, error: Error) -> Failure {
        let at = format!("{}{path}", self.base_url);
        match error {
            Error::NotFound { .. } => Failure::not_found(format!("{at} does not exist")),
            Error::PermissionDenied { source, .. } => {
                Failure::error(format!("access to {at} is denied: {source}"))
            }
            Error::Unauthenticated { source, .. } => {
                Failure::error(format!("the credentials for {at} are refused: {source}"))
            }
            Error::Generic { source, .. } => {
                let text = source.to_string();
                if asks_for_a_role(&text) {
                    return Failure::error(self.no_credentials(&text));
                }
                // A local error names its path, which need not be the one asked for.
                let named = self.local && text.starts_with('/');
                Failure::error(if named { text } else { format!("{at}: {text}") })
            }
            other => Failure::error(format!("{at}: {other}")),
        }
    }

    fn no_credentials(&self, answer: &str) -> String {
        let remedy = match self.base_url.split(':').next() {
            Some("s3") => {
                "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (AWS_SESSION_TOKEN for \
                 temporary ones), give the same with --storage aws_access_key_id=…, or set \
                 AWS_SKIP_SIGNATURE=true for a public bucket"
            }
            Some("gs") => {
                "set GOOGLE_APPLICATION_CREDENTIALS to a key file, or give it with --storage \
                 google_application_credentials=…"
            }
            _ => {
                "set AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, or give the same with \
                 --storage azure_storage_account_key=…"
            }
        };
        format!(
            "there are no credentials for {}: {remedy}. (Without any, this machine was asked for \
             those of its role, in vain: {answer})",
            self.base_url
        )
    }
}

/// Whether a failed request was one to the service that knows the role of a machine in the cloud:
/// the last resort of whoever was given no credentials.
fn asks_for_a_role(error: &str) -> bool {
    ["/latest/api/token", "/latest/meta-data/", "/computeMetadata/", "/metadata/identity/"]
        .iter()
        .any(|request| error.contains(request))
}

/// `file:///x` gives `file:///`, `s3a://bucket/key` gives `s3://bucket/`. Only scheme and authority
/// are parsed: what follows is a decoded key, not part of a URL.
fn base_url(url: &str) -> Outcome<String> {
    let unusable = || {
        Failure::invalid(format!(
            "'{url}' is no URL of a store: use file:///…, s3://bucket/…, gs://bucket/… or \
             abfss://container@account.dfs.core.windows.net/…"
        ))
    };
    let (scheme, rest) = url.split_once(':').ok_or_else(unusable)?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme == "file" {
        return Ok("file:///".into());
    }
    let rest = rest.strip_prefix("//").ok_or_else(unusable)?;
    let authority = rest.split('/').next().unwrap_or_default();
    let scheme = match scheme.as_str() {
        "s3" | "s3a" | "s3n" => "s3",
        "gs" | "gcs" => "gs",
        "az" | "azure" | "abfs" | "abfss" | "wasb" | "wasbs" => scheme.as_str(),
        _ => return Err(unusable()),
    };
    if authority.is_empty() {
        return Err(Failure::invalid(format!("'{url}' names no bucket or container")));
    }
    Ok(format!("{scheme}://{authority}/"))
}

fn cloud(base: &str, options: &HashMap<String, String>) -> Result<Box<dyn ObjectStore>, Error> {
    let keys = || options.iter().map(|(k, v)| (k.to_ascii_lowercase(), v.clone()));
    let scheme = base.split(':').next().unwrap_or_default();
    Ok(match scheme {
        "s3" => {
            let mut builder = AmazonS3Builder::from_env().with_url(base);
            let mut endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap_or_default();
            for (key, value) in keys() {
                if key.ends_with("endpoint") || key.ends_with("endpoint_url") {
                    endpoint.clone_from(&value);
                }
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            // A person who writes http:// means it.
            if endpoint.starts_with("http://") {
                builder = builder.with_allow_http(true);
            }
            Box::new(builder.build()?)
        }
        "gs" => Box::new(
            keys()
                .filter_map(|(k, v)| Some((k.parse().ok()?, v)))
                .fold(GoogleCloudStorageBuilder::from_env().with_url(base), |b, (k, v)| b.with_config(k, v))
                .build()?,
        ),
        _ => Box::new(
            keys()
                .filter_map(|(k, v)| Some((k.parse().ok()?, v)))
                .fold(MicrosoftAzureBuilder::from_env().with_url(base), |b, (k, v)| b.with_config(k, v))
                .build()?,
        ),
    })
}

pub fn open(url: &str, options: &HashMap<String, String>) -> Outcome<ArStore> {
    let base_url = base_url(url)?;
    let local = base_url == "file:///";
    let inner: Box<dyn ObjectStore> = if local {
        Box::new(LocalDisk)
    } else {
        Url::parse(&base_url).map_err(|e| Failure::invalid(format!("'{base_url}': {e}")))?;
        let _reactor = runtime().enter();
        cloud(&base_url, options)
            .map_err(|e| Failure::invalid(format!("'{base_url}' cannot be opened: {e}")))?
    };
    Ok(ArStore { store: Arc::new(WatchedStore::new(inner)), base_url, local })
}
