//! The checksum of a document in memory: a walk over everything that it would serialise to, without writing it.
//!
//! It allocates nothing, and serves value trees and typed structs alike. Being a reader of the whole document, it also
//! stands for the program that a document is parsed for.

use std::fmt;

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::checksum::{mix, of_bytes};

/// The checksum of everything in `document`.
pub(super) fn digest(document: &impl Serialize) -> u64 {
    let mut digest = Digest(0);
    document.serialize(&mut digest).expect("a document in memory has nothing that JSON could not hold");
    digest.0
}

struct Digest(u64);

/// Tells containers apart, and what is not a number from the numbers that are likely.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Mark {
    Null = u64::MAX / 2,
    False,
    True,
    Array,
    Object,
    End,
}

impl Digest {
    fn add(&mut self, value: u64) {
        self.0 = mix(self.0, value);
    }

    fn mark(&mut self, mark: Mark) {
        self.add(mark as u64);
    }
}

/// A document cannot be walked; only the types in it can cause this.
#[derive(Debug)]
struct Unsuitable;

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a type that JSON cannot hold")
    }
}

impl std::error::Error for Unsuitable {}

impl Error for Unsuitable {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Scalars are mixed in as they are.
macro_rules! scalars {
    ($($method:ident($type:ty) $value:ident => $number:expr;)*) => {
        $(fn $method(self, $value: $type) -> Result<(), Unsuitable> {
            self.add($number);
            Ok(())
        })*
    };
}

impl Serializer for &mut Digest {
    type Ok = ();
    type Error = Unsuitable;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars! {
        serialize_bool(bool) value => if value { Mark::True } else { Mark::False } as u64;
        serialize_i8(i8) value => i64::from(value).cast_unsigned();
        serialize_i16(i16) value => i64::from(value).cast_unsigned();
        serialize_i32(i32) value => i64::from(value).cast_unsigned();
        serialize_i64(i64) value => value.cast_unsigned();
        serialize_u8(u8) value => u64::from(value);
        serialize_u16(u16) value => u64::from(value);
        serialize_u32(u32) value => u64::from(value);
        serialize_u64(u64) value => value;
        serialize_f32(f32) value => f64::from(value).to_bits();
        serialize_f64(f64) value => value.to_bits();
        serialize_char(char) value => u64::from(value);
        serialize_str(&str) value => of_bytes(value.as_bytes());
        serialize_bytes(&[u8]) value => of_bytes(value);
        serialize_unit_struct(&'static str) _name => Mark::Null as u64;
    }

    fn serialize_none(self) -> Result<(), Unsuitable> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Unsuitable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unsuitable> {
        self.mark(Mark::Null);
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Unsuitable> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result<(), Unsuitable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unsuitable> {
        self.serialize_str(variant)?;
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Unsuitable> {
        self.mark(Mark::Array);
        Ok(self)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self, Unsuitable> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Self, Unsuitable> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self, Unsuitable> {
        self.serialize_str(variant)?;
        self.serialize_seq(Some(length))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Unsuitable> {
        self.mark(Mark::Object);
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, Unsuitable> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self, Unsuitable> {
        self.serialize_str(variant)?;
        self.serialize_map(Some(length))
    }
}

/// A container is what it holds, in order, then an end mark.
macro_rules! sequences {
    ($($of:ident::$method:ident)*) => {
        $(impl $of for &mut Digest {
            type Ok = ();
            type Error = Unsuitable;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unsuitable> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Unsuitable> {
                self.mark(Mark::End);
                Ok(())
            }
        })*
    };
}

sequences! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! structs {
    ($($of:ident)*) => {
        $(impl $of for &mut Digest {
            type Ok = ();
            type Error = Unsuitable;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Unsuitable> {
                self.add(of_bytes(key.as_bytes()));
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Unsuitable> {
                self.mark(Mark::End);
                Ok(())
            }
        })*
    };
}

structs! { SerializeStruct SerializeStructVariant }

impl SerializeMap for &mut Digest {
    type Ok = ();
    type Error = Unsuitable;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Unsuitable> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unsuitable> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Unsuitable> {
        self.mark(Mark::End);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_change_changes_it() {
        let variants = [
            json!({"a": [1, 2, "x"], "b": null}),
            json!({"a": [1, 2, "y"], "b": null}),
            json!({"a": [2, 1, "x"], "b": null}),
            json!({"a": [1, [2, "x"]], "b": null}),
            json!({"a": [[1, 2], "x"], "b": null}),
            json!({"a": [1, 2, "x"], "c": null}),
            json!({"a": [1, 2, "x"], "b": true}),
            json!({"a": [1, 2.5, "x"], "b": null}),
            json!({"a": [1, 2, "x"]}),
            json!({"a": {"1": 2, "x": 0}, "b": null}),
        ];
        let digests: std::collections::BTreeSet<_> = variants.iter().map(digest).collect();
        assert_eq!(digests.len(), variants.len());
        assert_eq!(digest(&variants[0]), digest(&variants[0].clone()));
    }
}
