fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libariadne_delta.so");
    println!("cargo:rerun-if-changed=build.rs");
}
