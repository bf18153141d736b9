"""What the build leaves for users of the C library."""
import subprocess

from program import BUILD, Case

ROOT = __import__("pathlib").Path(__file__).parent.parent.parent


class Library(Case):
    def test_exports_are_those_of_the_map_and_no_other(self):
        text = (ROOT / "src" / "capi" / "cuzk.map").read_text()
        wanted = {line.strip(" ;\n") for line in text.split("global:")[1].split("local:")[0].splitlines()} - {""}
        symbols = subprocess.run(["nm", "-D", "--defined-only", BUILD / "libcuzk.so"], check=True, capture_output=True,
                                 text=True).stdout
        found = {line.split()[2] for line in symbols.splitlines()}
        self.assertEqual({s.split("@")[0] for s in found} - {"CUZK_0"}, wanted)
        self.assertTrue(all("@@CUZK_0" in s for s in found if s != "CUZK_0"))

    def test_header_stands_alone_in_c_and_c_plus_plus(self):
        for language, standard in (("c", "c99"), ("c++", "c++11")):
            with self.subTest(language=language):
                done = subprocess.run(["gcc", "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                       "-fsyntax-only", ROOT / "include" / "cuzk.h"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_archive_is_enough_with_libsodium(self):
        source = self.write("main.c", '#include <stdio.h>\n#include <cuzk.h>\n'
                                      'int main(void) { struct cuzk_failure f; puts(cuzk_version()); '
                                      'return cuzk_verify_bytes("", 0, 0, 0, 0, (const uint8_t *)"", 0, &f) != 3; }\n')
        out = self.folder / "main"
        subprocess.run(["gcc", "-I", ROOT / "include", source, BUILD / "libcuzk.a", "-lsodium", "-lpthread", "-o", out],
                       check=True)
        done = subprocess.run([out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^\d+\.\d+\.\d+\n$")
