//! Generates the messages and the client from the contract; protox stands in for protoc.

use std::error::Error;

const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={PROTO}/highstreet");
    let files = protox::compile(["highstreet/v1/play.proto"], [PROTO])?;
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(files)?;
    Ok(())
}
