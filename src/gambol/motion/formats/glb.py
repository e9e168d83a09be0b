"""The glTF 2.0 binary container: JSON that describes a scene, and one buffer with all the numbers.

`Glb` collects both. It knows the format, nothing about characters; `gltf.py` fills it.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from gambol.motion.meshes import Mesh

VERTICES, INDICES = 34962, 34963
COMPONENT = {np.dtype(np.float32): 5126, np.dtype(np.uint8): 5121, np.dtype(np.uint16): 5123, np.dtype(np.uint32): 5125}
KIND = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}

Rgba = tuple[float, float, float, float]


class Glb:
    """A glTF document under construction. Every `add_` returns the index of what was added."""

    def __init__(self, generator: str = "gambol") -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0", "generator": generator}, "scene": 0,
                                     "scenes": [{"nodes": []}]}
        self._buffer = bytearray()
        self._materials: dict[tuple[Rgba, float], int] = {}

    def add(self, collection: str, entry: dict[str, Any]) -> int:
        """Append to one of the top-level lists of glTF."""
        entries = self.json.setdefault(collection, [])
        entries.append(entry)
        return len(entries) - 1

    def add_array(self, array: np.ndarray, target: int | None = None) -> int:
        """An accessor with its own view of the buffer, with least and largest values."""
        array = np.ascontiguousarray(array)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        self._buffer += b"\0" * (-len(self._buffer) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        # Matrices are stored by columns.
        self._buffer += (array.transpose(0, 2, 1) if array.ndim == 3 else array).tobytes()
        flat = (array.transpose(0, 2, 1) if array.ndim == 3 else array).reshape(len(array), -1)
        return self.add("accessors", {
            "bufferView": self.add("bufferViews", view), "componentType": COMPONENT[array.dtype],
            "count": len(array), "type": KIND[array.shape[1:]],
            "min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()})

    def add_material(self, rgba: Rgba, roughness: float = 0.75, name: str = "") -> int:
        """A plain paint; the same one is added once. Colours are given as on a screen (sRGB), glTF stores light."""
        key = (tuple(round(c, 4) for c in rgba), roughness)
        if key not in self._materials:
            material: dict[str, Any] = {"pbrMetallicRoughness": {
                "baseColorFactor": [*(linear(c) for c in rgba[:3]), rgba[3]], "metallicFactor": 0.0,
                "roughnessFactor": roughness}}
            if rgba[3] < 1.0:
                material["alphaMode"] = "BLEND"
            material["name"] = name or "#" + "".join(f"{round(255 * min(1.0, c)):02x}" for c in rgba[:3])
            self._materials[key] = self.add("materials", material)  # type: ignore[index]
        return self._materials[key]  # type: ignore[index]

    def primitive(self, mesh: Mesh, material: int, **attributes: np.ndarray) -> dict[str, Any]:
        """One paint's triangles; further vertex attributes by their glTF name."""
        index_type = np.uint16 if len(mesh.vertices) < 65535 else np.uint32
        arrays = {"POSITION": mesh.vertices, "NORMAL": mesh.normals, **attributes}
        return {"attributes": {name: self.add_array(array, VERTICES) for name, array in arrays.items()},
                "indices": self.add_array(mesh.triangles.ravel().astype(index_type), INDICES), "material": material}

    def add_node(self, name: str, parent: int | None, translation: np.ndarray | None = None,
                 rotation: np.ndarray | None = None, **entries: Any) -> int:
        """A node under another, or at the top of the scene; `rotation` is a quaternion with the scalar first."""
        node: dict[str, Any] = {"name": name, **entries}
        if translation is not None and np.any(translation):
            node["translation"] = [float(c) for c in translation]
        if rotation is not None and not np.allclose(rotation, [1, 0, 0, 0], atol=1e-12):
            node["rotation"] = [float(c) for c in np.roll(rotation, -1)]
        index = self.add("nodes", node)
        siblings = (self.json["scenes"][0]["nodes"] if parent is None
                    else self.json["nodes"][parent].setdefault("children", []))
        siblings.append(index)
        return index

    def add_channel(self, animation: dict[str, Any], node: int, path: str, times: int, values: np.ndarray,
                    interpolation: str = "LINEAR") -> None:
        """Animate a node's translation, rotation (scalar first) or scale over an accessor of times."""
        if path == "rotation":
            values = np.roll(values, -1, axis=-1)
        animation["samplers"].append({"input": times, "output": self.add_array(values),
                                      "interpolation": interpolation})
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1,
                                      "target": {"node": node, "path": path}})

    def write(self, path: Path) -> None:
        """The .glb file: header, JSON chunk, binary chunk, each padded to four bytes."""
        self._buffer += b"\0" * (-len(self._buffer) % 4)
        self.json["buffers"] = [{"byteLength": len(self._buffer)}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with path.open("wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(self._buffer)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", len(self._buffer), b"BIN\0") + self._buffer)


def linear(c: float) -> float:
    """Light of an sRGB screen value."""
    c = min(1.0, max(0.0, c))
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
