//! The checksum of a document in memory, from samples of its content.
//!
//! Reading everything would cost as much as building it, and hide the allocator's part. So in each container up to a few
//! children are visited, spread evenly from a place that differs from sample to sample, and long strings are read at both
//! ends and in between. What a broken allocator spoils is found before long: every document is sampled twice, at other
//! places, when it is made and before it goes.
//!
//! It is a serialiser, so that it serves value trees and typed structs alike. It allocates nothing.

use std::fmt;

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::checksum::{mix, mix_bytes};

/// So many children of a container are visited, or up to twice as many; all where there are no more.
const CHILDREN: usize = 8;

/// At most so many values of a document are visited: where containers are small and nested, the above would visit most.
const VALUES: usize = 512;

/// Strings up to this length are read completely.
const SHORT: usize = 64;

/// The checksum of samples of `document`. Another `salt` samples other places.
pub(super) fn sample(document: &impl Serialize, salt: u64) -> u64 {
    let mut sampler = Sampler { sum: mix(0, salt), left: VALUES };
    document.serialize(&mut sampler).expect("a document in memory has nothing that JSON could not hold");
    sampler.sum
}

struct Sampler {
    sum: u64,
    /// Values that may still be visited.
    left: usize,
}

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

impl Sampler {
    fn add(&mut self, value: u64) {
        self.sum = mix(self.sum, value);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if bytes.len() <= SHORT {
            self.add(mix_bytes(0, bytes));
            return;
        }
        let part = SHORT / 4;
        let middle = self.place(bytes.len() - part);
        self.add(bytes.len() as u64);
        for start in [0, middle, bytes.len() - part] {
            self.add(mix_bytes(0, &bytes[start..start + part]));
        }
    }

    /// A place below `end` that depends on all that came before.
    fn place(&self, end: usize) -> usize {
        usize::try_from((self.sum >> 16) % end as u64).expect("less than a size")
    }

    fn container(&mut self, mark: Mark, length: Option<usize>) -> Children<'_> {
        self.add(mark as u64);
        self.add(length.unwrap_or_default() as u64);
        let stride = length.map_or(1, |length| (length / CHILDREN).max(1));
        let skip = self.place(stride);
        Children { sampler: self, stride, skip, visiting: false }
    }
}

/// The children of a container as they come.
struct Children<'a> {
    sampler: &'a mut Sampler,
    /// One in so many is visited.
    stride: usize,
    /// So many are passed over before the next visit.
    skip: usize,
    /// Whether the member whose name came last is visited.
    visiting: bool,
}

impl Children<'_> {
    /// Whether to visit the next child.
    fn choose(&mut self) -> bool {
        if self.skip > 0 || self.sampler.left == 0 {
            self.skip = self.skip.saturating_sub(1);
            return false;
        }
        self.skip = self.stride - 1;
        self.sampler.left -= 1;
        true
    }

    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unsuitable> {
        if self.choose() { value.serialize(&mut *self.sampler) } else { Ok(()) }
    }

    fn member<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Unsuitable> {
        if self.choose() {
            self.sampler.bytes(name.as_bytes());
            value.serialize(&mut *self.sampler)?;
        }
        Ok(())
    }

    fn close(self) {
        self.sampler.add(Mark::End as u64);
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

impl<'a> Serializer for &'a mut Sampler {
    type Ok = ();
    type Error = Unsuitable;
    type SerializeSeq = Children<'a>;
    type SerializeTuple = Children<'a>;
    type SerializeTupleStruct = Children<'a>;
    type SerializeTupleVariant = Children<'a>;
    type SerializeMap = Children<'a>;
    type SerializeStruct = Children<'a>;
    type SerializeStructVariant = Children<'a>;

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
        serialize_unit_struct(&'static str) _name => Mark::Null as u64;
    }

    fn serialize_str(self, value: &str) -> Result<(), Unsuitable> {
        self.bytes(value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Unsuitable> {
        self.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Unsuitable> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Unsuitable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unsuitable> {
        self.add(Mark::Null as u64);
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
        self.bytes(variant.as_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Children<'a>, Unsuitable> {
        Ok(self.container(Mark::Array, length))
    }

    fn serialize_tuple(self, length: usize) -> Result<Children<'a>, Unsuitable> {
        Ok(self.container(Mark::Array, Some(length)))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Children<'a>, Unsuitable> {
        Ok(self.container(Mark::Array, Some(length)))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Children<'a>, Unsuitable> {
        self.bytes(variant.as_bytes());
        Ok(self.container(Mark::Array, Some(length)))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Children<'a>, Unsuitable> {
        Ok(self.container(Mark::Object, length))
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Children<'a>, Unsuitable> {
        Ok(self.container(Mark::Object, Some(length)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Children<'a>, Unsuitable> {
        self.bytes(variant.as_bytes());
        Ok(self.container(Mark::Object, Some(length)))
    }
}

macro_rules! sequences {
    ($($of:ident::$method:ident)*) => {
        $(impl $of for Children<'_> {
            type Ok = ();
            type Error = Unsuitable;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unsuitable> {
                self.element(value)
            }

            fn end(self) -> Result<(), Unsuitable> {
                self.close();
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
        $(impl $of for Children<'_> {
            type Ok = ();
            type Error = Unsuitable;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Unsuitable> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), Unsuitable> {
                self.close();
                Ok(())
            }
        })*
    };
}

structs! { SerializeStruct SerializeStructVariant }

impl SerializeMap for Children<'_> {
    type Ok = ();
    type Error = Unsuitable;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, name: &T) -> Result<(), Unsuitable> {
        self.visiting = self.choose();
        if self.visiting { name.serialize(&mut *self.sampler) } else { Ok(()) }
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unsuitable> {
        if self.visiting { value.serialize(&mut *self.sampler) } else { Ok(()) }
    }

    fn end(self) -> Result<(), Unsuitable> {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::documents::Document;
    use super::super::typed::Typed;
    use super::*;

    #[test]
    fn any_change_of_a_small_document_changes_it() {
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
        let sums: std::collections::BTreeSet<_> = variants.iter().map(|variant| sample(variant, 0)).collect();
        assert_eq!(sums.len(), variants.len());
        assert_eq!(sample(&variants[0], 3), sample(&variants[0].clone(), 3));
    }

    /// No place of a large document is out of reach.
    #[test]
    fn each_salt_samples_other_places_and_in_time_all_are_sampled() {
        let intact: Vec<u32> = (0..1000).collect();
        for place in 0..1000 {
            let mut spoilt = intact.clone();
            spoilt[place] = u32::MAX;
            let found = (0..2000).filter(|salt| sample(&intact, *salt) != sample(&spoilt, *salt)).count();
            assert!((1..200).contains(&found), "element {place} was found {found} times");
        }
        let intact = "x".repeat(500);
        for place in 0..500 {
            let mut spoilt = intact.clone().into_bytes();
            spoilt[place] = b'y';
            let spoilt = String::from_utf8(spoilt).unwrap();
            assert!((0..2000).any(|salt| sample(&intact, salt) != sample(&spoilt, salt)), "byte {place}");
        }
    }

    #[test]
    fn both_forms_of_every_document_can_be_sampled_cheaply() {
        for document in Document::ALL {
            let value: Value = serde_json::from_str(document.text()).unwrap();
            let typed = Typed::parse(document).unwrap();
            let sums: std::collections::BTreeSet<_> =
                (0..50).flat_map(|salt| [sample(&value, salt), sample(&typed, salt)]).collect();
            assert_eq!(sums.len(), 100);
        }
    }
}
