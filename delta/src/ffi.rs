//! What crosses the C boundary: status codes, messages, strings and bytes. No panic passes it.
use std::any::Any;
use std::ffi::{c_char, c_int, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

pub const OK: c_int = 0;
const ERROR: c_int = 1;
const NOT_FOUND: c_int = 2;
/// The condition of a conditional call does not hold.
pub const NOT_DONE: c_int = 3;
pub const INVALID_TABLE: c_int = 4;
const INVALID_ARGUMENT: c_int = 5;

pub struct Failure {
    pub code: c_int,
    message: String,
}

impl Failure {
    pub fn error(message: impl Into<String>) -> Self {
        Self { code: ERROR, message: message.into() }
    }
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { code: NOT_FOUND, message: message.into() }
    }
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: INVALID_ARGUMENT, message: message.into() }
    }
    pub fn invalid_table(message: impl Into<String>) -> Self {
        Self { code: INVALID_TABLE, message: message.into() }
    }
}

pub type Outcome<T> = Result<T, Failure>;

#[repr(C)]
pub struct ArBytes {
    data: *mut u8,
    size: usize,
    capacity: usize,
}

impl ArBytes {
    pub fn new(data: Vec<u8>) -> Self {
        let mut data = std::mem::ManuallyDrop::new(data);
        Self { data: data.as_mut_ptr(), size: data.len(), capacity: data.capacity() }
    }
}

#[no_mangle]
pub unsafe extern "C" fn ar_bytes_free(bytes: *mut ArBytes) {
    if !bytes.is_null() && !(*bytes).data.is_null() {
        drop(Vec::from_raw_parts((*bytes).data, (*bytes).size, (*bytes).capacity));
        (*bytes).data = std::ptr::null_mut();
    }
}

#[no_mangle]
pub unsafe extern "C" fn ar_message_free(message: *mut c_char) {
    if !message.is_null() {
        drop(CString::from_raw(message));
    }
}

fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap_or_default();
    format!("a bug in Ariadne's storage layer, please report it: {text}")
}

/// Runs a C function's body, and turns what it throws into a code and a message.
pub unsafe fn guard(message: *mut *mut c_char, body: impl FnOnce() -> Outcome<c_int>) -> c_int {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => return code,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::error(panic_text(panic)),
    };
    if !message.is_null() {
        let text = failure.message.replace('\0', " ");
        *message = CString::new(text).unwrap_or_default().into_raw();
    }
    failure.code
}

pub unsafe fn text<'a>(pointer: *const c_char) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Err(Failure::invalid("a name is missing"));
    }
    CStr::from_ptr(pointer).to_str().map_err(|_| Failure::invalid("a name is not UTF-8"))
}

pub unsafe fn slice<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(data, size)
    }
}
