//! The local disk as an object store. A key is the path without its leading slash, any name that
//! is UTF-8. The crate's own `LocalFileSystem` lacks conditional replacement, hides some names, and
//! knows nothing of Hadoop's checksum files.
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path as FilePath, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::{
    CopyMode, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
    UploadPart,
};
use futures::stream::{self, BoxStream, StreamExt};

use crate::staged_file::{self, Condition, StagedFile};

#[derive(Debug)]
pub struct LocalDisk;

impl std::fmt::Display for LocalDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("local disk")
    }
}

pub fn file_path(location: &Path) -> PathBuf {
    PathBuf::from(format!("/{}", location.as_ref()))
}

pub fn error_at(path: &FilePath, source: io::Error) -> Error {
    let path = path.display().to_string();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            Error::NotFound { path, source: source.into() }
        }
        io::ErrorKind::PermissionDenied => Error::PermissionDenied { path, source: source.into() },
        _ => Error::Generic { store: "local disk", source: format!("{path}: {source}").into() },
    }
}

pub fn meta_of(location: Path, metadata: &Metadata) -> ObjectMeta {
    let since = Duration::new(metadata.mtime().max(0) as u64, metadata.mtime_nsec() as u32);
    let modified: SystemTime = UNIX_EPOCH + since;
    // Anyone can set the time of modification back; that of the change of the inode is the system's.
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    let tag = format!(
        "\"{:x}-{:x}-{:x}-{:x}.{:x}\"",
        metadata.ino(),
        since.as_micros(),
        metadata.len(),
        changed.0,
        changed.1
    );
    ObjectMeta {
        location,
        last_modified: modified.into(),
        size: metadata.len(),
        e_tag: Some(tag),
        version: None,
    }
}

fn put_result() -> PutResult {
    PutResult { e_tag: None, version: None, extensions: Default::default() }
}

fn exists_already(path: &FilePath) -> Error {
    Error::AlreadyExists { path: path.display().to_string(), source: "the file exists".into() }
}

fn key_of(folder: &Path, name: &std::ffi::OsStr, at: &FilePath) -> Result<Path> {
    let unusable = |reason: &str| Error::Generic {
        store: "local disk",
        source: format!("the name of {} is {reason}: rename it", at.display()).into(),
    };
    let name = name.to_str().ok_or_else(|| unusable("not UTF-8"))?;
    let key =
        if folder.as_ref().is_empty() { name.to_string() } else { format!("{}/{name}", folder.as_ref()) };
    Path::parse(key).map_err(|_| unusable("no object key (a control character?)"))
}

/// Entries of one folder: names in it that are folders, and files.
fn read_folder(folder: &Path) -> Result<(Vec<Path>, Vec<ObjectMeta>)> {
    let at = file_path(folder);
    let entries = match std::fs::read_dir(&at) {
        Ok(entries) => entries,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Default::default());
        }
        Err(e) => return Err(error_at(&at, e)),
    };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.map_err(|e| error_at(&at, e))?;
        if staged_file::is_staged_name(entry.file_name().as_bytes()) {
            continue;
        }
        // Follows links; a dangling one, or a file that went away meanwhile, is no object.
        let metadata = match std::fs::metadata(entry.path()) {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) if e.raw_os_error() == Some(libc::ELOOP) => continue,
            Err(e) => return Err(error_at(&entry.path(), e)),
        };
        let key = key_of(folder, &entry.file_name(), &entry.path())?;
        if metadata.is_dir() {
            folders.push(key);
        } else if metadata.is_file() {
            files.push(meta_of(key, &metadata));
        }
    }
    Ok((folders, files))
}

fn walk(folder: &Path, above: &mut Vec<(u64, u64)>, found: &mut Vec<ObjectMeta>) -> Result<()> {
    let at = file_path(folder);
    let Ok(metadata) = std::fs::metadata(&at) else { return Ok(()) };
    let identity = (metadata.dev(), metadata.ino());
    if above.contains(&identity) {
        return Ok(()); // a link to a folder above it
    }
    above.push(identity);
    let (folders, files) = read_folder(folder)?;
    found.extend(files);
    for below in &folders {
        walk(below, above, found)?;
    }
    above.pop();
    Ok(())
}

fn list_sorted(prefix: Option<&Path>, after: Option<&Path>) -> Result<Vec<ObjectMeta>> {
    let mut found = Vec::new();
    walk(prefix.unwrap_or(&Path::default()), &mut Vec::new(), &mut found)?;
    if let Some(after) = after {
        found.retain(|meta| meta.location > *after);
    }
    found.sort_unstable_by(|a, b| a.location.cmp(&b.location));
    Ok(found)
}

fn streamed(result: Result<Vec<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
    match result {
        Ok(found) => stream::iter(found.into_iter().map(Ok)).boxed(),
        Err(e) => stream::iter([Err(e)]).boxed(),
    }
}

#[async_trait]
impl ObjectStore for LocalDisk {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let path = file_path(location);
        let condition = match opts.mode {
            PutMode::Overwrite => Condition::None,
            PutMode::Create => Condition::Absent,
            PutMode::Update(version) => Condition::Content(version.e_tag.unwrap_or_default()),
        };
        let put = || -> io::Result<bool> {
            let mut staged = StagedFile::create(&path)?;
            for chunk in payload.iter() {
                staged.write(chunk)?;
            }
            staged.publish(&condition)
        };
        match (put().map_err(|e| error_at(&path, e))?, condition) {
            (true, _) => Ok(put_result()),
            (false, Condition::Content(_)) => Err(Error::Precondition {
                path: path.display().to_string(),
                source: "the file has changed".into(),
            }),
            (false, _) => Err(exists_already(&path)),
        }
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let path = file_path(location);
        let staged = StagedFile::create(&path).map_err(|e| error_at(&path, e))?;
        Ok(Box::new(LocalUpload { path, staged: Some(staged) }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let path = file_path(location);
        let file = match options.head {
            true => None,
            false => Some(File::open(&path).map_err(|e| error_at(&path, e))?),
        };
        let metadata = file.as_ref().map_or_else(|| std::fs::metadata(&path), File::metadata);
        let metadata = metadata.map_err(|e| error_at(&path, e))?;
        if metadata.is_dir() {
            return Err(error_at(&path, io::Error::new(io::ErrorKind::NotFound, "it is a folder")));
        }
        let meta = meta_of(location.clone(), &metadata);
        options.check_preconditions(&meta)?;
        let range = match options.range {
            Some(range) => range.as_range(meta.size).map_err(|e| Error::Generic {
                store: "local disk",
                source: format!("{}: {e}", path.display()).into(),
            })?,
            None => 0..meta.size,
        };
        Ok(GetResult {
            payload: match file {
                Some(file) => GetResultPayload::File(file, path),
                None => GetResultPayload::Stream(stream::empty().boxed()),
            },
            meta,
            range,
            attributes: Default::default(),
            extensions: Default::default(),
        })
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        locations
            .map(|location| {
                let location = location?;
                let path = file_path(&location);
                match staged_file::remove(&path) {
                    Ok(true) => Ok(location),
                    Ok(false) => Err(error_at(&path, io::ErrorKind::NotFound.into())),
                    Err(e) => Err(error_at(&path, e)),
                }
            })
            .boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        streamed(list_sorted(prefix, None))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        streamed(list_sorted(prefix, Some(offset)))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let (mut common_prefixes, mut objects) = read_folder(prefix.unwrap_or(&Path::default()))?;
        common_prefixes.sort_unstable();
        objects.sort_unstable_by(|a, b| a.location.cmp(&b.location));
        Ok(ListResult { common_prefixes, objects, extensions: Default::default() })
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let source = file_path(from);
        let data = std::fs::read(&source).map_err(|e| error_at(&source, e))?;
        let mode = match options.mode {
            CopyMode::Overwrite => PutMode::Overwrite,
            CopyMode::Create => PutMode::Create,
        };
        self.put_opts(to, data.into(), mode.into()).await.map(|_| ())
    }
}

#[derive(Debug)]
struct LocalUpload {
    path: PathBuf,
    staged: Option<StagedFile>,
}

fn ended() -> io::Error {
    io::Error::other("the upload has ended")
}

#[async_trait]
impl MultipartUpload for LocalUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let written = match &mut self.staged {
            Some(staged) => data.iter().try_for_each(|chunk| staged.write(chunk)),
            None => Err(ended()),
        };
        let written = written.map_err(|e| error_at(&self.path, e));
        Box::pin(async move { written })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let staged = self.staged.take().ok_or_else(|| error_at(&self.path, ended()))?;
        staged.publish(&Condition::None).map_err(|e| error_at(&self.path, e))?;
        Ok(put_result())
    }

    async fn abort(&mut self) -> Result<()> {
        self.staged = None;
        Ok(())
    }
}
