//! The changes that Ariadne makes to a local disk, a function each: all there is between a caller
//! and the file system. After any of them the power may fail. A file system then keeps what was
//! synced and may lose the rest, so for tests each change remembers how it is taken back until a
//! sync follows: the bytes of a file until the file is synced, a name until its folder is.
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use crate::fault;

/// A file as it was before a change took its name away.
struct Saved {
    data: Vec<u8>,
    modified: SystemTime,
}

impl Saved {
    fn of(path: &Path) -> Option<Self> {
        let modified = std::fs::metadata(path).and_then(|m| m.modified()).ok()?;
        Some(Self { data: std::fs::read(path).ok()?, modified })
    }

    fn put_back(&self, path: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(&self.data)?;
        file.set_modified(self.modified)
    }
}

enum Unsynced {
    /// Of the file only the first `synced` bytes are on the disk.
    Bytes {
        file: File,
        synced: u64,
    },
    Created(PathBuf),
    Renamed {
        from: PathBuf,
        to: PathBuf,
        over: Option<Saved>,
    },
    Removed {
        path: PathBuf,
        file: Saved,
    },
    FolderRemoved(PathBuf),
}

impl Unsynced {
    /// The name that stands or falls with a sync of its folder.
    fn name(&self) -> Option<&Path> {
        match self {
            Self::Bytes { .. } => None,
            Self::Created(path) | Self::Removed { path, .. } | Self::FolderRemoved(path) => Some(path),
            Self::Renamed { to, .. } => Some(to),
        }
    }

    fn take_back(&self) -> io::Result<()> {
        match self {
            Self::Bytes { file, synced } => file.set_len(*synced),
            // A new folder goes with what was put in it, synced or not: nothing leads there.
            Self::Created(path) if path.is_dir() => std::fs::remove_dir_all(path),
            Self::Created(path) => std::fs::remove_file(path),
            Self::Renamed { from, to, over } => {
                std::fs::rename(to, from)?;
                over.as_ref().map_or(Ok(()), |file| file.put_back(to))
            }
            Self::Removed { path, file } => file.put_back(path),
            Self::FolderRemoved(path) => std::fs::create_dir(path),
        }
    }
}

static UNSYNCED: Mutex<Vec<Unsynced>> = Mutex::new(Vec::new());

/// Makes a change; where a power loss is awaited, one at a time, and with `memory` of it. The power
/// fails before the change that the fault names.
fn change<T>(
    memory: impl FnOnce() -> Option<Unsynced>,
    make: impl FnOnce() -> io::Result<T>,
    forget: impl Fn(&Unsynced) -> bool,
) -> io::Result<T> {
    if !fault::awaits_power_loss() {
        return make();
    }
    let mut unsynced = UNSYNCED.lock().unwrap_or_else(|e| e.into_inner());
    if fault::power_fails_now() {
        for last in unsynced.iter().rev() {
            let _ = last.take_back();
        }
        fault::kill();
    }
    let memory = memory();
    let made = make()?;
    unsynced.extend(memory);
    unsynced.retain(|known| !forget(known));
    Ok(made)
}

fn nothing(_: &Unsynced) -> bool {
    false
}

pub fn create_new(path: &Path) -> io::Result<File> {
    change(
        || Some(Unsynced::Created(path.to_path_buf())),
        || OpenOptions::new().write(true).create_new(true).open(path),
        nothing,
    )
}

/// Appends to a file that was made here.
pub fn write_all(file: &mut File, data: &[u8]) -> io::Result<()> {
    let known = file.try_clone();
    change(
        || {
            let file = known.ok()?;
            let synced = file.metadata().ok()?.len();
            Some(Unsynced::Bytes { file, synced })
        },
        || file.write_all(data),
        nothing,
    )
}

pub fn sync_file(file: &File) -> io::Result<()> {
    let synced = file.metadata().map(|m| m.ino()).ok();
    change(
        || None,
        || file.sync_all(),
        |known| match known {
            Unsynced::Bytes { file, .. } => file.metadata().map(|m| m.ino()).ok() == synced,
            _ => false,
        },
    )
}

fn rename_memory(from: &Path, to: &Path) -> Option<Unsynced> {
    Some(Unsynced::Renamed { from: from.to_path_buf(), to: to.to_path_buf(), over: Saved::of(to) })
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    change(|| rename_memory(from, to), || std::fs::rename(from, to), nothing)
}

/// Fails with `AlreadyExists` where there is a file of that name.
pub fn rename_to_absent(from: &Path, to: &Path) -> io::Result<()> {
    change(|| rename_memory(from, to), || rename_unless_there(from, to), nothing)
}

pub fn remove_file(path: &Path) -> io::Result<()> {
    change(
        || Some(Unsynced::Removed { path: path.to_path_buf(), file: Saved::of(path)? }),
        || std::fs::remove_file(path),
        nothing,
    )
}

pub fn create_folder(path: &Path) -> io::Result<()> {
    change(|| Some(Unsynced::Created(path.to_path_buf())), || std::fs::create_dir(path), nothing)
}

/// Removes a folder with all that is in it.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    change(|| Some(Unsynced::FolderRemoved(path.to_path_buf())), || std::fs::remove_dir_all(path), nothing)
}

/// The names in a folder last from then on.
pub fn sync_folder(path: &Path, folder: &File) -> io::Result<()> {
    change(|| None, || folder.sync_all(), |known| known.name().and_then(Path::parent) == Some(path))
}

fn rename_unless_there(from: &Path, to: &Path) -> io::Result<()> {
    let c = |path: &Path| std::ffi::CString::new(path.as_os_str().as_bytes());
    let (from_c, to_c) = (c(from)?, c(to)?);
    let failed = unsafe {
        libc::renameat2(
            libc::AT_FDCWD,
            from_c.as_ptr(),
            libc::AT_FDCWD,
            to_c.as_ptr(),
            libc::RENAME_NOREPLACE,
        )
    } != 0;
    if !failed {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // A file system without that flag: a hard link fails on an existing name as well.
        Some(libc::EINVAL) | Some(libc::ENOSYS) => {
            std::fs::hard_link(from, to)?;
            std::fs::remove_file(from)
        }
        _ => Err(error),
    }
}
