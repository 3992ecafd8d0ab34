"""`/api/scene` and `/api/mesh`: the platform or model of a ring to scale, and the user's meshes of its parts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse

from motionbase.console.access import viewer
from motionbase.console.api.judge import Judge, judge_of, judge_of_text, why_no_platform
from motionbase.console.api.model_scene import model_of_text
from motionbase.console.api.sentences import NotThere, SentenceRoute
from motionbase.console.models import Mesh, ModelScene, Scene, SourceName, SphereShape, SphereWheel

if TYPE_CHECKING:
    from motionbase.console.console import Console
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.mesh import MeshFile

LARGEST_MESH = 64 * 1000 * 1000  # of a mesh [bytes]
MEDIA = {"glb": "model/gltf-binary", "stl": "model/stl"}


def scene_of(judge: Judge, trusted: frozenset[str]) -> Scene:
    """The scene as a model of the interface."""
    from motionbase.platform.shape import radii

    platform = judge.platform
    shown, stroke = judge.atlas or platform, platform.stroke
    cylinder, rod = radii(platform)
    return Scene(
        name=shown.name,
        summary=shown.summary,
        illustrative=list(shown.illustrative),
        base=[list(p) for p in platform.base],
        joints=[list(p) for p in platform.joints],
        p_neutral=list(platform.p_neutral),
        l_min=stroke.l_min,
        l_max=stroke.l_max,
        hard_min=stroke.hard_min,
        hard_max=stroke.hard_max,
        l_down=platform.l_down,
        cylinder_radius=cylinder,
        rod_radius=rod,
        points={name: list(p) for name, p in platform.points.items()},
        limits=judge.limits,
        meshes=[_mesh(n, m) for n, m in enumerate(platform.meshes) if not why_not_served(m, trusted)],
        sphere=sphere_of(judge.atlas) if judge.atlas is not None else None,
    )


def sphere_of(atlas: Atlas) -> SphereShape:
    """The sphere with its wheels; at neutral its axes are parallel to those of the platform below."""
    driven = [
        SphereWheel(outward=list(map(float, out)), axle=list(map(float, axle)), radius=wheel.radius, is_driven=True)
        for out, axle, wheel in zip(atlas.contacts, atlas.axles, atlas.wheels, strict=True)
    ]
    passive = [
        SphereWheel(
            outward=out.tolist(), axle=[-float(out[1]), float(out[0]), 0.0], radius=ring.radius, is_driven=False
        )
        for ring in atlas.rings
        for out in ring.contacts
    ]
    return SphereShape(
        centre=list(atlas.mount),
        radius=atlas.sphere.radius,
        wheels=driven + passive,
        points={name: list(p) for name, p in atlas.points.items()},
    )


def _mesh(number: int, mesh: MeshFile) -> Mesh:
    return Mesh.model_validate(
        {"number": number, "format": mesh.format, "part": mesh.part, "scale": mesh.scale, "colour": mesh.colour}
    )


def trusted_files(console: Console) -> frozenset[str]:
    """Files named by the base on this machine; those named in a recording are not trusted."""
    judge = judge_of(console.source("live").header)
    return frozenset(m.file for m in judge.platform.meshes) if judge is not None else frozenset()


def why_not_served(mesh: MeshFile, trusted: frozenset[str]) -> str:
    """Why a file is not served; "" if it is."""
    path = Path(mesh.file)
    if mesh.file not in trusted:
        return "only files that the running base names are shown"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(84)
    except (OSError, ValueError):
        return "the file is not on this machine"
    if not path.is_absolute() or not path.is_file():
        return "it is no file"
    if size > LARGEST_MESH:
        return f"it has {size} bytes, {LARGEST_MESH} is the most"
    return "" if _is_mesh(mesh.format, head, size) else f"it is no {mesh.format} file"


def _is_mesh(form: str, head: bytes, size: int) -> bool:
    if form == "glb":
        return head.startswith(b"glTF")
    triangles = int.from_bytes(head[80:84], "little")
    return head.lstrip().startswith(b"solid") or (len(head) == 84 and size == 84 + 50 * triangles)


def judge_for(console: Console, source: SourceName) -> Judge:
    """The judge of a ring's platform, or 404 with the reason."""
    header = console.source(source).header
    judge = judge_of(header)
    if judge is None:
        raise NotThere(f"no picture: {why_no_platform(header)}")
    return judge


def shown_scene(console: Console, source: SourceName) -> Scene | ModelScene:
    """The scene of a ring, or 404 with the reason."""
    header = console.source(source).header
    if header is not None and (model := model_scene(header.layout.platform)):
        return model
    return scene_of(judge_for(console, source), trusted_files(console))


def model_scene(text: str) -> ModelScene | None:
    """The scene of a multibody model; None if the text is not that of a model, 404 if it cannot be drawn."""
    found = model_of_text(text)
    if isinstance(found, str):
        raise NotThere(f"no picture: {found}")
    return found


def stored_scene(text: str) -> Scene | ModelScene:
    """The scene of the platform or model in a recording, or 404 with the reason."""
    if model := model_scene(text):
        return model
    judge = judge_of_text(text)
    if isinstance(judge, str):
        raise NotThere(f"no picture: {judge if text else 'the recording carries no platform'}")
    return scene_of(judge, frozenset())


def mesh_file(judge: Judge, number: int, trusted: frozenset[str]) -> tuple[Path, str]:
    """Path and media type of a mesh."""
    meshes = judge.platform.meshes
    if not 0 <= number < len(meshes):
        raise NotThere(f"there is no mesh {number}; the platform has {len(meshes)}")
    if why := why_not_served(meshes[number], trusted):
        raise NotThere(f"mesh {number} is not served: {why}")
    return Path(os.path.realpath(meshes[number].file)), MEDIA[meshes[number].format]


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(route_class=SentenceRoute, dependencies=[Depends(viewer)])

    @api.get("/api/scene")
    async def scene(source: SourceName = "live") -> Scene | ModelScene:
        """The platform or model to scale."""
        return await console.turns.looking.take(lambda: shown_scene(console, source))

    @api.get("/api/mesh/{number}", response_class=FileResponse)
    async def mesh(number: int, source: SourceName = "live") -> FileResponse:
        """The user's mesh of a part."""
        path, media = await console.turns.files.take(
            lambda: mesh_file(judge_for(console, source), number, trusted_files(console))
        )
        return FileResponse(path, media_type=media)

    return api
