//! stub
use countersign_domain::qa::{Format, Report};
pub fn read(_b: &[u8], _f: Option<Format>, e: Option<i32>) -> Result<Report, String> {
    Ok(Report::plain(e))
}
