"""Many matches: who plays whom, who is best; and the command line."""

import referee  # noqa: F401  before gRPC is loaded, which it has something to say about
