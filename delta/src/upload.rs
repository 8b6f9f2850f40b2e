//! An object written as a stream: small ones go in one request, larger ones in parts.
use std::ffi::{c_char, c_int};
use std::sync::Arc;

use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::{Error, MultipartUpload, ObjectStoreExt};

use crate::ffi::{guard, slice, text, OK};
use crate::open::ArStore;
use crate::watched::WatchedStore;

/// Bytes in a part. S3 takes parts of 5 MiB to 5 GiB, 10,000 at most, all of one size but the last.
const REMOTE_PART: usize = 16 << 20;
/// A local file is written as the bytes come: a part there is a write and no request.
const LOCAL_PART: usize = 1 << 20;

pub struct ArUpload {
    store: Arc<WatchedStore>,
    handle: *const ArStore,
    key: Path,
    path: String,
    waiting: Vec<u8>,
    part_size: usize,
    parts: Option<Box<dyn MultipartUpload>>,
}

impl ArUpload {
    async fn write(&mut self, mut data: &[u8]) -> Result<(), Error> {
        // Less than a part waits, however much comes at once.
        while self.waiting.len() + data.len() >= self.part_size {
            let (head, rest) = data.split_at(self.part_size - self.waiting.len());
            let mut part = std::mem::take(&mut self.waiting);
            part.extend_from_slice(head);
            self.send(part).await?;
            data = rest;
        }
        self.waiting.extend_from_slice(data);
        Ok(())
    }

    async fn send(&mut self, part: Vec<u8>) -> Result<(), Error> {
        if self.parts.is_none() {
            self.parts = Some(self.store.put_multipart(&self.key).await?);
        }
        match &mut self.parts {
            Some(parts) => parts.put_part(part.into()).await,
            None => Ok(()),
        }
    }

    async fn finish(&mut self) -> Result<(), Error> {
        let last = std::mem::take(&mut self.waiting);
        if self.parts.is_none() {
            self.store.put(&self.key, last.into()).await?;
            return Ok(());
        }
        if !last.is_empty() {
            self.send(last).await?;
        }
        if let Some(mut parts) = self.parts.take() {
            if let Err(e) = parts.complete().await {
                let _ = parts.abort().await;
                return Err(e);
            }
        }
        Ok(())
    }
}

/// The store must outlive the upload.
#[no_mangle]
pub unsafe extern "C" fn ar_upload_begin(
    store: *const ArStore,
    path: *const c_char,
    out: *mut *mut ArUpload,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let path = text(path)?;
        *out = Box::into_raw(Box::new(ArUpload {
            store: (&*store).store.clone(),
            handle: store,
            key: (&*store).key(path)?,
            path: path.to_string(),
            waiting: Vec::new(),
            part_size: if (&*store).local { LOCAL_PART } else { REMOTE_PART },
            parts: None,
        }));
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_upload_write(
    upload: *mut ArUpload,
    data: *const u8,
    size: usize,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let upload = &mut *upload;
        let store = &*upload.handle;
        store.wait(upload.write(slice(data, size))).map_err(|e| store.failure(&upload.path, e))?;
        Ok(OK)
    })
}

/// The object appears whole, or not at all.
#[no_mangle]
pub unsafe extern "C" fn ar_upload_finish(upload: *mut ArUpload, message: *mut *mut c_char) -> c_int {
    guard(message, || {
        let upload = &mut *upload;
        let store = &*upload.handle;
        store.wait(upload.finish()).map_err(|e| store.failure(&upload.path, e))?;
        Ok(OK)
    })
}

/// Ends the upload; one that was not finished leaves nothing.
#[no_mangle]
pub unsafe extern "C" fn ar_upload_free(upload: *mut ArUpload) {
    if upload.is_null() {
        return;
    }
    guard(std::ptr::null_mut(), || {
        let mut upload = Box::from_raw(upload);
        let store = &*upload.handle;
        if let Some(mut parts) = upload.parts.take() {
            let _ = store.wait(parts.abort());
        }
        Ok(OK)
    });
}
