"""Runs the tools of OpenHands' presets in a folder and prints cases: files, input, observation."""
import json, os, shutil, sys, tempfile, types
from pathlib import Path
from openhands.tools.gemini.read_file.impl import ReadFileExecutor
from openhands.tools.gemini.read_file.definition import ReadFileAction
from openhands.tools.gemini.write_file.impl import WriteFileExecutor
from openhands.tools.gemini.write_file.definition import WriteFileAction
from openhands.tools.gemini.edit.impl import EditExecutor
from openhands.tools.gemini.edit.definition import EditAction
from openhands.tools.gemini.list_directory.impl import ListDirectoryExecutor
from openhands.tools.gemini.list_directory.definition import ListDirectoryAction
from openhands.tools.apply_patch.definition import ApplyPatchExecutor, ApplyPatchAction
from openhands.tools.glob.impl import GlobExecutor
from openhands.tools.glob.definition import GlobAction
from openhands.tools.grep.impl import GrepExecutor
from openhands.tools.grep.definition import GrepAction

TREE = {
    "a.txt": "one\ntwo\nthree\n",
    "src/app.py": "def main():\n    print('hello')\n\n\ndef other():\n    return 1\n",
    "src/deep/util.py": "VALUE = 1\nvalue = 2\n",
    "src/view.ts": "export const value = 1;\n",
    "docs/Übersicht.md": "# Größe\nnaïve café 日本\n",
    ".hidden/secret.txt": "one\n",
    ".env": "one=1\n",
    "empty.txt": "",
    "long.txt": "".join(f"line {n}\n" for n in range(1, 1206)),
    "no-end.txt": "first\nlast",
}
P = "*** Begin Patch\n%s\n*** End Patch"
CASES = [
    ("read_file", {"file_path": "a.txt"}),
    ("read_file", {"file_path": "no-end.txt"}),
    ("read_file", {"file_path": "docs/Übersicht.md"}),
    ("read_file", {"file_path": "long.txt"}),
    ("read_file", {"file_path": "long.txt", "offset": 1200}),
    ("read_file", {"file_path": "a.txt", "offset": 1, "limit": 1}),
    ("read_file", {"file_path": "a.txt", "offset": 3}),
    ("read_file", {"file_path": "empty.txt"}),
    ("read_file", {"file_path": "not/there.txt"}),
    ("read_file", {"file_path": "src"}),
    ("write_file", {"file_path": "a.txt", "content": "new\n"}),
    ("write_file", {"file_path": "new/folder/b.txt", "content": "日本\n"}),
    ("write_file", {"file_path": "src", "content": "x"}),
    ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2"}),
    ("edit", {"file_path": "src/deep/util.py", "old_string": "= ", "new_string": ":= ", "expected_replacements": 2}),
    ("edit", {"file_path": "src/deep/util.py", "old_string": "= ", "new_string": ":= "}),
    ("edit", {"file_path": "a.txt", "old_string": "four", "new_string": "4"}),
    ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "two"}),
    ("edit", {"file_path": "a.txt", "old_string": "", "new_string": "x"}),
    ("edit", {"file_path": "made/c.txt", "old_string": "", "new_string": "x\n"}),
    ("edit", {"file_path": "not-there.txt", "old_string": "a", "new_string": "b"}),
    ("edit", {"file_path": "src", "old_string": "a", "new_string": "b"}),
    ("list_directory", {}),
    ("list_directory", {"dir_path": "src"}),
    ("list_directory", {"dir_path": "docs", "recursive": True}),
    ("list_directory", {"dir_path": "not-there"}),
    ("list_directory", {"dir_path": "a.txt"}),
    ("glob", {"pattern": "**/*.py"}),
    ("glob", {"pattern": "*.py"}),
    ("glob", {"pattern": "src/**/*.py"}),
    ("glob", {"pattern": "*.txt"}),
    ("glob", {"pattern": "docs/?bersicht.md"}),
    ("glob", {"pattern": "[an]*.txt"}),
    ("glob", {"pattern": "*.rs"}),
    ("glob", {"pattern": "*.py", "path": "$ROOT/src/deep"}),
    ("glob", {"pattern": "$ROOT/src/*.py"}),
    ("glob", {"pattern": "*.py", "path": "$ROOT/not-there"}),
    ("grep", {"pattern": "value"}),
    ("grep", {"pattern": "VALUE", "include": "*.ts"}),
    ("grep", {"pattern": "^def "}),
    ("grep", {"pattern": "größe"}),
    ("grep", {"pattern": "nowhere"}),
    ("grep", {"pattern": "one"}),
    ("grep", {"pattern": "one", "path": "$ROOT/src"}),
    ("grep", {"pattern": "one", "path": "$ROOT/not-there"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n@@\n one\n-two\n+2\n three"}),
    ("apply_patch", {"patch": P % "*** Update File: src/app.py\n@@ def other():\n-    return 1\n+    return 2\n*** Add File: src/new.py\n+x = 1\n+y = 2\n*** Delete File: no-end.txt"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n*** Move to: moved/b.txt\n@@\n one\n-two\n+zwei"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n@@\n one  \n-two\n+2"}),
    ("apply_patch", {"patch": P % "*** Update File: src/app.py\n@@\n-print('hello')\n+    print('bye')"}),
    ("apply_patch", {"patch": P % "*** Update File: no-end.txt\n@@\n first\n-last\n+end\n*** End of File"}),
    ("apply_patch", {"patch": P % "*** Update File: long.txt\n@@ line 500\n-line 501\n+LINE 501\n@@ line 1000\n line 1001\n+between\n line 1002"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n@@\n-four\n+4"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n@@\n-four\n+4\n*** End of File"}),
    ("apply_patch", {"patch": P % "*** Update File: not-there.txt\n@@\n-a\n+b"}),
    ("apply_patch", {"patch": P % "*** Update File: ../outside.txt\n@@\n-a\n+b"}),
    ("apply_patch", {"patch": P % "*** Add File: /tmp/conv-outside.txt\n+b"}),
    ("apply_patch", {"patch": P % "*** Update File: a.txt\n*** Move to: ../b.txt\n@@\n-one\n+1"}),
    ("apply_patch", {"patch": P % "*** Add File: x.txt\nno plus"}),
    ("apply_patch", {"patch": P % "*** Add File: x.txt\n+a\n*** Add File: x.txt\n+b"}),
    ("apply_patch", {"patch": P % "something"}),
    ("apply_patch", {"patch": "no patch"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: x.txt\n+a"}),
]
ACTIONS = dict(read_file=ReadFileAction, write_file=WriteFileAction, edit=EditAction, list_directory=ListDirectoryAction, glob=GlobAction, grep=GrepAction, apply_patch=ApplyPatchAction)
EXECUTORS = dict(read_file=ReadFileExecutor, write_file=WriteFileExecutor, edit=EditExecutor, list_directory=ListDirectoryExecutor, glob=GlobExecutor, grep=GrepExecutor, apply_patch=ApplyPatchExecutor)

def tree(root):
    found = {}
    for folder, folders, files in os.walk(root):
        for name in files:
            path = Path(folder) / name
            found[str(path.relative_to(root))] = path.read_bytes().decode()
    return found

out = []
for number, (tool, given) in enumerate(CASES):
    root = Path(tempfile.mkdtemp()).resolve()
    for when, (name, text) in enumerate(TREE.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        os.utime(path, (1_700_000_000 + when, 1_700_000_000 + when))
    for folder in [root / name for name in ("src/deep", "src", "docs", ".hidden")]:
        os.utime(folder, (1_700_000_000, 1_700_000_000))
    here = lambda value: json.loads(json.dumps(value).replace("$ROOT", str(root)))
    os.chdir(root)
    observation = EXECUTORS[tool](str(root))(ACTIONS[tool](**here(given)))
    shown = json.loads(observation.model_dump_json(exclude_none=True).replace(str(root), "$ROOT"))
    after = tree(root)
    changed = {name: after.get(name) for name in sorted({*TREE, *after}) if after.get(name) != TREE.get(name)}
    out.append({"tool": tool, "input": given, "observation": shown, "changed": changed})
    os.chdir("/")
    shutil.rmtree(root)
print(json.dumps({"files": TREE, "cases": out}, ensure_ascii=False, indent=1))
