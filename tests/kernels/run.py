#!/usr/bin/python3
"""Boot Debian's kernels in qemu and run the runtime's suites there.

    tests/kernels/run.py BUILD FOLDER [--only TEXT] VERSION...

A VERSION is "6.1": the newest package linux-image-6.1* for this machine that
apt offers is downloaded into FOLDER and unpacked there; nothing is installed.
The virtual machine has no network card and sees this machine's files
read-only (init). tests/kernels/guest says what is run in there; what it prints
is FOLDER/VERSION.log. --only runs the suites whose name contains TEXT. Where
KVM does not work the processor is emulated, and only the suites in which
kernels differ are run.

What kernel_facts prints there is compared with what it prints here behind the
profile of that version (tests/unit/kernel_profile.c).

Closes with "N passed, N failed, N skipped"; exits 1 if anything failed.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["virtio_pci", "9p", "9pnet_virtio", "overlay"]
# Built into some kernels and modules of others.
OPTIONAL = ["virtio_rng", "unix", "af_packet"]
LIMIT = 1200
# Emulated, each instruction costs some twenty, and fewer suites are run.
LIMIT_TCG = 3600
# For the first line of init, on a busy machine. A /dev/kvm that is itself made
# by software may run kernels of its own kind only, and say nothing of it.
LIMIT_START = 60
LIMIT_START_TCG = 600


def output_of(*command, **options):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def version_key(name):
    return [int(n) for n in re.findall(r"\d+", name)]


def package_of(version):
    """The newest image of VERSION: not the real-time or the cloud flavour."""
    pattern = re.compile(r"linux-image-%s\.[^-]*(-\d+)?-amd64"
                         % re.escape(version))
    names = output_of("apt-cache", "pkgnames", f"linux-image-{version}.")
    found = [name for name in names.split() if pattern.fullmatch(name)]
    return max(found, key=version_key, default=None)


def fetch(version, folder):
    """(kernel, folder with lib/modules, release) of VERSION."""
    package = package_of(version)
    if package is None:
        raise SystemExit(f"apt offers no linux-image-{version}*-amd64")
    root = folder / package
    if not (root / "done").exists():
        print(f"{version}: downloading {package}", flush=True)
        downloads = folder / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "-qq", "download", package], cwd=downloads,
                       check=True)
        archive = max(downloads.glob(f"{package}_*.deb"),
                      key=lambda path: path.stat().st_mtime)
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["dpkg-deb", "-x", archive, root], check=True)
        (root / "done").touch()
    kernel = next((root / "boot").glob("vmlinuz-*"))
    return kernel, root, kernel.name.removeprefix("vmlinuz-")


def modules_for(root, release):
    """The files to load, in their order."""
    subprocess.run(["depmod", "-b", root, release], check=True)
    files = []
    for name in MODULES + OPTIONAL:
        shown = subprocess.run(
            ["modprobe", "-d", root, "-S", release, "--show-depends", name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if shown.returncode != 0 and name in MODULES:
            raise SystemExit(f"{release} has no module {name}")
        for line in shown.stdout.splitlines():
            word, _, path = line.partition(" ")
            path = pathlib.Path(path.strip())
            if word == "insmod" and path not in files:
                files.append(path)
    return files


def make_initramfs(root, release, folder):
    tree = folder / f"initramfs-{release}.d"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin", "proc", "dev", "modules"):
        (tree / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", tree / "bin/busybox")
    (tree / "bin/sh").symlink_to("busybox")
    shutil.copy(TREE / "tests/kernels/init", tree / "init")
    order = []
    for path in modules_for(root, release):
        name = path.name.removesuffix(".xz")
        data = path.read_bytes()
        if path.suffix == ".xz":
            data = subprocess.run(["xz", "-dc"], input=data, check=True,
                                  stdout=subprocess.PIPE).stdout
        (tree / "modules" / name).write_bytes(data)
        order.append(name)
    (tree / "modules/order").write_text("".join(f"{n}\n" for n in order))
    names = sorted(str(path.relative_to(tree)) for path in tree.rglob("*"))
    image = folder / f"initramfs-{release}"
    with image.open("wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree,
                       input="\n".join(names).encode(), stdout=out, check=True)
    return image


def qemu_command(kernel, initramfs, build, only, log, kvm):
    # In a virtual machine itself qemu may not set what the feature stands for.
    accel = (["-enable-kvm", "-cpu", "host,-arch-capabilities"] if kvm
             else ["-accel", "tcg,thread=multi", "-cpu", "max"])
    # The timer check fails if this machine is too busy to run the guest.
    words = ["console=ttyS0", "panic=-1", "loglevel=4", "edd=off",
             "no_timer_check", f"guest={TREE}/tests/kernels/guest", f"build={build.name}"]
    words += [f"only={only}"] if only else []
    words += [] if kvm else ["slow=yes"]
    return ["qemu-system-x86_64", *accel, "-smp", "2", "-m", "2048",
            "-kernel", kernel, "-initrd", initramfs,
            "-append", " ".join(words), "-nic", "none", "-no-reboot",
            "-nodefaults", "-display", "none", "-serial", f"file:{log}",
            "-device", "virtio-rng-pci",
            "-fsdev", "local,id=host,path=/,security_model=none,"
            "readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]


def text_of(log):
    return log.read_text(errors="replace").replace("\r", "")


def has_started(qemu, log, limit):
    end = time.monotonic() + limit
    while time.monotonic() < end and qemu.poll() is None:
        if "init: started" in text_of(log):
            return True
        time.sleep(1)
    return "init: started" in text_of(log)


def boot(command, log, kvm):
    """Run the guest; what it printed, and whether it ended by itself. None if
    it did not start."""
    log.write_text("")
    # A KVM that fails prints its registers.
    with (log.with_suffix(".qemu").open("a") as said,
          subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said,
                           stderr=said) as qemu):
        try:
            if not has_started(qemu, log,
                               LIMIT_START if kvm else LIMIT_START_TCG):
                return None
            status = qemu.wait(LIMIT if kvm else LIMIT_TCG)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            qemu.kill()
    text = text_of(log)
    return text, status == 0 and "\nguest: done\n" in text


def boot_somehow(kernel, initramfs, build, only, log):
    """With KVM if that works."""
    for kvm in (True, False):
        if kvm and not os.access("/dev/kvm", os.R_OK | os.W_OK):
            print("no access to /dev/kvm: emulated", flush=True)
            continue
        command = qemu_command(kernel, initramfs, build, only, log, kvm)
        result = boot(command, log, kvm)
        if result is not None:
            return result
        if kvm:
            print("/dev/kvm does not run this kernel: emulated", flush=True)
    return text_of(log), False


def facts_here(build, version=None):
    env = dict(os.environ)
    if version is not None:
        env["LD_PRELOAD"] = str(build / "tests/unit/libkernel_profile.so")
        env["KERNEL_PROFILE"] = version
    return output_of(build / "tests/kernels/kernel_facts",
                     env=env).splitlines()


def differences(build, version, there):
    """Of the profile of VERSION from the kernel; None if there is none."""
    def named(lines):
        return dict(line.rsplit(" ", 1) if not line.startswith("opcodes")
                    else line.split(" ", 1) for line in lines)

    try:
        profile = named(facts_here(build, version))
    except subprocess.CalledProcessError:
        return None
    real, native = named(there), named(facts_here(build))
    found = []
    for name in sorted(profile.keys() | real.keys()):
        # A profile can only take away from what this machine's kernel has.
        if profile.get(name) in (native.get(name), "0") and \
                native.get(name) != "yes" and name != "opcodes":
            continue
        if profile.get(name) != real.get(name):
            found.append(f"{name}: profile {profile.get(name)}, "
                         f"kernel {real.get(name)}")
    return found


def check(version, build, folder, only):
    """Run VERSION and say how it went: (passed, failed)."""
    kernel, root, release = fetch(version, folder)
    initramfs = make_initramfs(root, release, folder)
    log = folder / f"{version}.log"
    start = time.monotonic()
    text, ended = boot_somehow(kernel, initramfs, build, only, log)
    passed = re.findall(r"^guest: passed (\S+) \d+$", text, re.M)
    failed = re.findall(r"^guest: failed (\S+) \d+$", text, re.M)
    if not ended:
        failed.append("the-guest-did-not-end")
    facts = re.findall(r"^guest: facts (.*)$", text, re.M)
    wrong = differences(build, version, facts) if facts else ["no facts"]
    if wrong:
        failed.append("profile")
    elif wrong is not None:
        passed.append("profile")
    print(f"{version}: {release}, {len(passed)} passed, {len(failed)} failed, "
          f"{time.monotonic() - start:.0f} s; {log}", flush=True)
    for line in wrong or []:
        print(f"  profile differs: {line}")
    for name in failed:
        print(f"FAILED  {version}/{name}")
    return len(passed), len(failed)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("versions", nargs="+")
    args = parser.parse_args()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for version in args.versions:
        good, bad = check(version, args.build.resolve(), folder, args.only)
        passed += good
        failed += bad
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
