//! Files written whole or not at all.

use std::io::Write;
use std::path::Path;

use heapmark::Error;

/// Puts this content in the place of what is there, in one step. What is there keeps its permissions.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), Error> {
    let fail = |action| move |source| Error::File { action, path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail("cannot write beside"))?;
    file.write_all(content).map_err(fail("cannot write beside"))?;
    file.as_file().sync_all().map_err(fail("cannot flush beside"))?;
    let permissions = match std::fs::metadata(path) {
        Ok(there) => there.permissions(),
        // What the folder's files usually have: temporary files are for their owner only.
        Err(_) => std::os::unix::fs::PermissionsExt::from_mode(0o644),
    };
    file.as_file().set_permissions(permissions).map_err(fail("cannot write beside"))?;
    file.persist(path).map_err(|error| error.error).map_err(fail("cannot replace"))?;
    Ok(())
}
