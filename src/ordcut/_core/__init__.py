"""From arguments to a result: what the public modules are built on; private."""
