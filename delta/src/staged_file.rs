//! A new local file on its way to its name: written and synced aside, then put in place by one
//! rename under a lock of the folder, which makes conditions hold against other processes too.
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::disk;

/// Files on their way; no listing shows them.
const SUFFIX: &str = ".ariadne-tmp";

pub fn is_staged_name(name: &[u8]) -> bool {
    name.first() == Some(&b'.') && name.ends_with(SUFFIX.as_bytes())
}

/// How often a folder that vanishes under us is made again: others remove empty folders, but a
/// folder where no file can be made (as in /proc) looks the same.
const TRIES: u32 = 100;

/// On what condition a staged file takes its place.
pub enum Condition {
    None,
    Absent,
    /// The file there has this content tag.
    Content(String),
}

#[derive(Debug)]
pub struct StagedFile {
    file: File,
    at: PathBuf,
    target: PathBuf,
    published: bool,
}

impl StagedFile {
    pub fn create(target: &Path) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let folder = parent(target)?;
        // Nothing is looked for here, so nothing may be reported as not found.
        let no_place = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                io::Error::other(format!("no file can be made in the folder {} ({e})", folder.display()))
            }
            _ => e,
        };
        create_folders(folder).map_err(no_place)?;
        let mut tries = 0;
        loop {
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let at = folder.join(format!(".{:x}-{nanos:x}-{count:x}{SUFFIX}", std::process::id()));
            match disk::create_new(&at) {
                Ok(file) => return Ok(Self { file, at, target: target.to_path_buf(), published: false }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                // Somebody removed the empty folder between the two calls.
                Err(e) if e.kind() == io::ErrorKind::NotFound && tries < TRIES => {
                    tries += 1;
                    create_folders(folder).map_err(no_place)?;
                }
                Err(e) => return Err(no_place(e)),
            }
        }
    }

    pub fn write(&mut self, data: &[u8]) -> io::Result<()> {
        disk::write_all(&mut self.file, data)
    }

    /// false: the condition does not hold, nothing was changed.
    pub fn publish(mut self, condition: &Condition) -> io::Result<bool> {
        disk::sync_file(&self.file)?;
        let folder = FolderLock::take(parent(&self.target)?, matches!(condition, Condition::Content(_)))?;
        match condition {
            Condition::None => {}
            Condition::Absent => {
                if std::fs::symlink_metadata(&self.target).is_ok() {
                    return Ok(false);
                }
            }
            Condition::Content(tag) => match std::fs::read(&self.target) {
                Ok(found) if content_tag(&found) == *tag => {}
                Ok(_) => return Ok(false),
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(e) => return Err(e),
            },
        }
        remove_checksum(&self.target)?;
        match condition {
            Condition::Absent => match disk::rename_to_absent(&self.at, &self.target) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                renamed => renamed?,
            },
            _ => disk::rename(&self.at, &self.target)?,
        }
        self.published = true;
        folder.release_and_sync()?;
        Ok(true)
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.published {
            let _ = disk::remove_file(&self.at);
        }
    }
}

/// Removes a file under the folder's lock; false: there was none.
pub fn remove(target: &Path) -> io::Result<bool> {
    let folder = match FolderLock::take(parent(target)?, false) {
        Ok(folder) => folder,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e),
    };
    remove_checksum(target)?;
    match disk::remove_file(target) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e),
    }
    folder.release_and_sync()?;
    Ok(true)
}

/// Names a file's content. Inode, size and time cannot: an inode is reused at once, and the clock
/// of a file system ticks only every few milliseconds.
pub fn content_tag(data: &[u8]) -> String {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        hasher.write(data);
        hasher.finish()
    };
    format!("\"{:016x}{:016x}-{:x}\"", half(1), half(2), data.len())
}

/// The bytes of a small file with their tag.
pub fn read_tagged(path: &Path) -> io::Result<(Vec<u8>, String)> {
    let mut data = Vec::new();
    File::open(path)?.read_to_end(&mut data)?;
    let tag = content_tag(&data);
    Ok((data, tag))
}

/// Creates the missing folders of a path, each synced into its parent.
pub fn create_folders(folder: &Path) -> io::Result<()> {
    let mut tries = 0;
    while !folder.exists() {
        let Some(up) = folder.parent() else { return Ok(()) };
        create_folders(up)?;
        match disk::create_folder(folder) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            // Somebody removed the empty folder above it.
            Err(e) if e.kind() == io::ErrorKind::NotFound && tries < TRIES => {
                tries += 1;
                continue;
            }
            made => made?,
        }
        return disk::sync_folder(up, &File::open(up)?);
    }
    Ok(())
}

fn parent(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))
}

/// Hadoop keeps `.{name}.crc` beside `{name}` and refuses a file that its checksum does not fit.
fn remove_checksum(target: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else { return Ok(()) };
    let mut neighbour = Vec::with_capacity(name.len() + 5);
    neighbour.push(b'.');
    neighbour.extend_from_slice(name.as_bytes());
    neighbour.extend_from_slice(b".crc");
    match disk::remove_file(&folder.join(std::ffi::OsStr::from_bytes(&neighbour))) {
        Err(e) if e.kind() != io::ErrorKind::NotFound && e.raw_os_error() != Some(libc::ENAMETOOLONG) => {
            Err(e)
        }
        _ => Ok(()),
    }
}

/// An exclusive `flock` of a folder: it leaves no file behind and ends with the process.
struct FolderLock<'a> {
    path: &'a Path,
    folder: File,
}

impl<'a> FolderLock<'a> {
    /// `needed`: whether the caller's condition rests on the lock alone. Without it, a file system
    /// that cannot lock folders still renames atomically.
    fn take(path: &'a Path, needed: bool) -> io::Result<Self> {
        let folder = File::open(path)?;
        loop {
            if unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX) } == 0 {
                return Ok(Self { path, folder });
            }
            let error = io::Error::last_os_error();
            match error.kind() {
                io::ErrorKind::Interrupted => {}
                _ if needed => return Err(error),
                _ => return Ok(Self { path, folder }),
            }
        }
    }

    /// Other writers need not wait for the disk.
    fn release_and_sync(self) -> io::Result<()> {
        unsafe { libc::flock(self.folder.as_raw_fd(), libc::LOCK_UN) };
        disk::sync_folder(self.path, &self.folder)
    }
}
