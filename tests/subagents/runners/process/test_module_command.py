import subprocess
import sys
from pathlib import Path

from sidecar.subagents.runners.process.module_command import module_command


def run(module: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*module_command(module), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30)


def test_a_module_is_found_from_any_folder(tmp_path: Path) -> None:
    assert "--model" in run("sidecar.subagents.runners.builtin", tmp_path, "--help").stdout


def test_the_working_directory_is_not_on_its_path(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')")
    (tmp_path / "mine.py").write_text("print('mine')")
    done = run("json.tool", tmp_path, "--help")
    assert (done.returncode, "taken over" in done.stderr) == (0, False)
    assert "No module named mine" in run("mine", tmp_path).stderr


def test_arguments_reach_the_module(tmp_path: Path) -> None:
    (tmp_path / "say.py").write_text("import sys; print(sys.argv[1:], sys.flags.safe_path)")
    sys.path.append(str(tmp_path))
    try:
        assert run("say", tmp_path, "a", "b c").stdout == "['a', 'b c'] True\n"
    finally:
        sys.path.remove(str(tmp_path))
