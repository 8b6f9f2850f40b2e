//! The one decorator around every object store, under the Delta kernel and under Ariadne's own
//! calls: it counts requests and bytes, and suffers the faults that tests ask for.
use std::fmt::{Debug, Display, Formatter};
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use futures::stream::{BoxStream, StreamExt};

use crate::fault;

#[derive(Default, Debug)]
pub struct Counters {
    pub requests: AtomicI64,
    pub bytes_read: AtomicI64,
    pub bytes_written: AtomicI64,
}

impl Counters {
    fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }
    pub fn read(&self, requests: i64, bytes: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.bytes_read.fetch_add(bytes as i64, Ordering::Relaxed);
    }
    fn wrote(&self, bytes: usize) {
        self.bytes_written.fetch_add(bytes as i64, Ordering::Relaxed);
    }
}

pub struct WatchedStore {
    inner: Box<dyn ObjectStore>,
    pub counters: Arc<Counters>,
}

impl WatchedStore {
    pub fn new(inner: Box<dyn ObjectStore>) -> Self {
        Self { inner, counters: Arc::default() }
    }
}

impl Debug for WatchedStore {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(&self.inner, f)
    }
}

impl Display for WatchedStore {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Display::fmt(&self.inner, f)
    }
}

#[async_trait]
impl ObjectStore for WatchedStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let fault = fault::next();
        fault.before()?;
        self.counters.request();
        let size = payload.content_length();
        let result = self.inner.put_opts(location, payload, opts).await;
        if result.is_ok() {
            self.counters.wrote(size);
        }
        fault.after(result)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.counters.request();
        let inner = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(WatchedUpload { inner, counters: self.counters.clone() }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let head = options.head;
        let result = self.inner.get_opts(location, options).await;
        let bytes = match &result {
            Ok(got) if !head => got.range.end - got.range.start,
            _ => 0,
        };
        self.counters.read(1, bytes);
        result
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let result = self.inner.get_ranges(location, ranges).await?;
        self.counters.read(ranges.len() as i64, result.iter().map(|b| b.len() as u64).sum());
        Ok(result)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let counters = self.counters.clone();
        let locations = locations
            .map(move |location| {
                fault::next().before()?;
                counters.request();
                location
            })
            .boxed();
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.counters.request();
        self.inner.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.counters.request();
        self.inner.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.counters.request();
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let fault = fault::next();
        fault.before()?;
        self.counters.request();
        let result = self.inner.copy_opts(from, to, options).await;
        fault.after(result)
    }
}

#[derive(Debug)]
struct WatchedUpload {
    inner: Box<dyn MultipartUpload>,
    counters: Arc<Counters>,
}

#[async_trait]
impl MultipartUpload for WatchedUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        if let Err(e) = fault::next().before() {
            return Box::pin(async move { Err(e) });
        }
        self.counters.request();
        self.counters.wrote(data.content_length());
        self.inner.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let fault = fault::next();
        fault.before()?;
        self.counters.request();
        let result = self.inner.complete().await;
        fault.after(result)
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
