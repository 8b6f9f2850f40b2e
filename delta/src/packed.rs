//! Records for the C++ side: integers as 8 bytes little-endian, strings as their length and bytes,
//! one after another without padding.
#[derive(Default)]
pub struct Packed(pub Vec<u8>);

impl Packed {
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.integer(value.len() as i64);
        self.0.extend_from_slice(value.as_bytes());
        self
    }
}
