"""Other programs' files: BVH, glTF, CSV, video."""
