"""One function a method: what a request means, said in terms of the Host."""
