//! HTTPS.
