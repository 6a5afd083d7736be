"""scripts/bind on a tree of the kernel's files, with a kernel that does what Linux does when they are written."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_loader = importlib.machinery.SourceFileLoader("bind", os.path.join(ROOT, "scripts", "bind"))
bind = importlib.util.module_from_spec(importlib.util.spec_from_loader("bind", _loader))
_loader.exec_module(bind)

EDGE, OTHER, DISK = "0000:3b:00.0", "0000:3b:00.1", "0000:00:1f.2"
PAGES = "sys/kernel/mm/hugepages/hugepages-2048kB"


class FakeSystem(bind.System):
    routes, addresses, most_pages, refuses_to_bind = (), (), 10**6, None

    def write(self, text, *parts):
        super().write(text, *parts)
        if self.is_dry:
            return
        name, where = os.path.join(*parts), parts[-1]
        if where == "unbind":
            os.unlink(self.path("sys/bus/pci/devices", text, "driver"))
            shutil.rmtree(self.path("sys/bus/pci/devices", text, "net"), ignore_errors=True)
        elif where == "bind" and text != self.refuses_to_bind:
            os.symlink(self.path("sys/bus/pci/drivers", parts[-2]), self.path("sys/bus/pci/devices", text, "driver"))
        elif where == "nr_hugepages":
            with open(self.path(name), "w", encoding="ascii") as f:
                f.write(str(min(int(text), self.most_pages)))

    def run(self, *command):
        if self.is_dry:
            return super().run(*command)
        assert command == ("modprobe", "vfio-pci"), command
        os.makedirs(self.path("sys/bus/pci/drivers/vfio-pci"))

    def ask_ip(self, *words):
        if words[-1] == "default":
            return [{"dst": "default", "dev": name} for name in self.routes] if "-4" in words else []
        return [{"ifname": name, "addr_info": [{"local": "192.0.2.1", "scope": "global"}]} for name in self.addresses]


class Bind(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="sojourn-bind-")
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, "run"))
        self.put(f"{PAGES}/nr_hugepages", "16")
        self.put(f"{PAGES}/free_hugepages", "16")
        self.put("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "N")
        self.card(EDGE, "0x020000", "ixgbe", "eth1", group="7")
        self.card(OTHER, "0x020000", "ixgbe", "eth2", group="8")
        self.card(DISK, "0x010601", "ahci", group="9")
        self.system = type("System", (FakeSystem,), {})

    def put(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(text + "\n")

    def get(self, name):
        with open(os.path.join(self.root, name), encoding="ascii") as f:
            return f.read().strip()

    def card(self, address, kind, driver, interface=None, group=None):
        device = f"sys/bus/pci/devices/{address}"
        self.put(f"{device}/class", kind)
        self.put(f"{device}/driver_override", "(null)")
        os.makedirs(os.path.join(self.root, "sys/bus/pci/drivers", driver), exist_ok=True)
        os.symlink(os.path.join(self.root, "sys/bus/pci/drivers", driver), os.path.join(self.root, device, "driver"))
        if interface:
            os.makedirs(os.path.join(self.root, device, "net", interface))
        if group:
            os.makedirs(os.path.join(self.root, "sys/kernel/iommu_groups", group, "devices", address))
            os.symlink(os.path.join(self.root, "sys/kernel/iommu_groups", group), os.path.join(self.root, device, "iommu_group"))

    def driver(self, address):
        try:
            return os.path.basename(os.readlink(os.path.join(self.root, "sys/bus/pci/devices", address, "driver")))
        except FileNotFoundError:
            return None

    def run_bind(self, *arguments, code=0):
        """What is said on standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            got = bind.main(["--root", self.root, *arguments], self.system)
        self.assertEqual(got, code, out.getvalue() + err.getvalue())
        return out.getvalue(), err.getvalue()

    def tree(self):
        """Every file with what is in it, every link with where it points."""
        found = {}
        for directory, names, files in os.walk(self.root):
            for name in names + files:
                path = os.path.join(directory, name)
                if os.path.islink(path):
                    found[path] = os.readlink(path)
                elif os.path.isfile(path):
                    with open(path, encoding="ascii") as f:
                        found[path] = f.read()
        return found

    def test_binds_by_interface_and_by_address_and_undoes_both(self):
        self.run_bind("eth1", "3b:00.1", "--pages", "512")
        self.assertEqual([self.driver(EDGE), self.driver(OTHER)], ["vfio-pci", "vfio-pci"])
        self.assertEqual(self.get(f"sys/bus/pci/devices/{EDGE}/driver_override"), "vfio-pci")
        self.assertEqual(self.get(f"{PAGES}/nr_hugepages"), "512")
        self.run_bind("--undo")
        self.assertEqual([self.driver(EDGE), self.driver(OTHER)], ["ixgbe", "ixgbe"])
        self.assertEqual(self.get(f"sys/bus/pci/devices/{EDGE}/driver_override"), "")
        self.assertEqual(self.get(f"{PAGES}/nr_hugepages"), "16")
        self.assertEqual(os.listdir(os.path.join(self.root, "run")), [])
        self.assertEqual(self.run_bind("--undo")[0], "nothing to undo\n")

    def test_undo_goes_back_to_before_the_first_bind(self):
        self.run_bind(EDGE, "--pages", "64")
        self.run_bind(EDGE, OTHER, "--pages", "128")
        self.run_bind("--undo")
        self.assertEqual([self.driver(EDGE), self.driver(OTHER)], ["ixgbe", "ixgbe"])
        self.assertEqual(self.get(f"{PAGES}/nr_hugepages"), "16")

    def test_dry_run_says_all_and_writes_nothing(self):
        before = self.tree()
        said, _ = self.run_bind("eth1", "--pages", "512", "--dry-run")
        self.assertEqual(self.tree(), before)
        for line in ("modprobe vfio-pci", f"echo 512 > {self.root}/{PAGES}/nr_hugepages",
                     f"echo {EDGE} > {self.root}/sys/bus/pci/drivers/ixgbe/unbind",
                     f"echo {EDGE} > {self.root}/sys/bus/pci/drivers/vfio-pci/bind"):
            self.assertIn(line + "\n", said)

    def test_dry_undo_changes_nothing(self):
        self.run_bind("eth1")
        before = self.tree()
        self.assertIn("drivers/ixgbe/bind", self.run_bind("--undo", "--dry-run")[0])
        self.assertEqual(self.tree(), before)

    def test_a_card_in_use_is_refused_with_every_reason_unless_forced(self):
        self.system.routes, self.system.addresses = ("eth1",), ("eth1", "eth2")
        before = self.tree()
        _, said = self.run_bind("eth1", "eth2", code=1)
        self.assertEqual(said.splitlines(), [
            f"sojourn-bind: {EDGE}: eth1 carries the default route; --force binds it all the same",
            f"sojourn-bind: {EDGE}: eth1 has the address 192.0.2.1; --force binds it all the same",
            f"sojourn-bind: {OTHER}: eth2 has the address 192.0.2.1; --force binds it all the same"])
        self.assertEqual(self.tree(), before)
        self.run_bind("eth1", "--force")
        self.assertEqual(self.driver(EDGE), "vfio-pci")

    def test_the_interface_of_a_virtio_card_is_known(self):
        self.card("0000:00:03.0", "0x020000", "virtio-pci", group="10")
        os.makedirs(os.path.join(self.root, "sys/bus/pci/devices/0000:00:03.0/virtio0/net/eth0"))
        self.system.routes = ("eth0",)
        self.assertIn("eth0 carries the default route", self.run_bind("eth0", code=1)[1])

    def test_a_part_of_a_bridge_is_refused(self):
        os.makedirs(os.path.join(self.root, "sys/class/net/eth1"))
        os.symlink("../br0", os.path.join(self.root, "sys/class/net/eth1/master"))
        self.assertIn("eth1 is a part of br0", self.run_bind("eth1", code=1)[1])

    def test_without_an_iommu_it_says_what_to_do(self):
        os.unlink(os.path.join(self.root, "sys/bus/pci/devices", EDGE, "iommu_group"))
        self.assertRegex(self.run_bind("eth1", code=1)[1], "no IOMMU: .*intel_iommu=on.*--no-iommu")
        self.assertEqual(self.driver(EDGE), "ixgbe")
        self.run_bind("eth1", "--no-iommu")
        self.assertEqual(self.driver(EDGE), "vfio-pci")
        self.assertEqual(self.get(bind.NO_IOMMU), "Y")
        self.run_bind("--undo")
        self.assertEqual(self.get(bind.NO_IOMMU), "N")

    def test_an_iommu_group_with_others_is_refused_by_name(self):
        os.makedirs(os.path.join(self.root, "sys/kernel/iommu_groups/7/devices", OTHER))
        self.assertIn(f"its IOMMU group also has {OTHER} (ixgbe)", self.run_bind("eth1", code=1)[1])

    def test_what_is_no_card_is_refused_with_those_that_are(self):
        for name in ("eth9", "00:1f.2", "0000:ff:00.0"):
            self.assertIn(f"there are: {EDGE} eth1, {OTHER} eth2", self.run_bind(name, code=1)[1])
        shutil.rmtree(os.path.join(self.root, "sys/bus/pci/devices"))
        self.assertIn("there is no PCI network card here", self.run_bind("eth1", code=1)[1])
        self.assertIn("there is no PCI network card here", self.run_bind("--status")[0])

    def test_a_card_that_will_not_be_bound_goes_back_and_so_does_the_rest_of_that_run(self):
        self.run_bind(EDGE)
        self.system.refuses_to_bind = OTHER

        def write(system, text, *parts):
            system.refuses_to_bind = OTHER if "vfio-pci" in parts else None
            FakeSystem.write(system, text, *parts)
        self.system.write = write
        _, said = self.run_bind(OTHER, "--pages", "64", code=1)
        self.assertIn(f"{OTHER}: has no driver now, and not vfio-pci", said)
        self.assertEqual([self.driver(EDGE), self.driver(OTHER)], ["vfio-pci", "ixgbe"])
        self.assertEqual(self.get(f"{PAGES}/nr_hugepages"), "16")

    def test_too_few_pages_is_a_refusal_that_changes_nothing(self):
        self.system.most_pages = 100
        self.assertRegex(self.run_bind("eth1", "--pages", "512", code=1)[1], "100 of 512 can be had.*hugepages=512")
        self.assertEqual(self.get(f"{PAGES}/nr_hugepages"), "16")
        self.assertEqual(self.driver(EDGE), "ixgbe")

    def test_status_says_what_there_is(self):
        self.system.routes = ("eth2",)
        self.run_bind("eth1")
        said, _ = self.run_bind("--status")
        self.assertIn(f"{EDGE}  vfio-pci  -  IOMMU group 7\n", said)
        self.assertIn(f"{OTHER}  ixgbe  eth2  IOMMU group 8  eth2 carries the default route\n", said)
        self.assertIn("huge pages of 2M: 16, 16 free\n", said)
        self.assertIn(f"--undo gives {EDGE} back to ixgbe\n", said)
        self.assertNotIn(DISK, said)

    def test_usage(self):
        for arguments in ((), ("--undo", "eth1"), ("--status", "--pages", "1"), ("--pages", "-1")):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
                bind.main(list(arguments), self.system)
            self.assertEqual(ended.exception.code, 2)

    def test_a_state_file_that_is_damaged_is_said_and_kept(self):
        self.put("run/sojourn-bind.json", "{")
        self.assertIn("sojourn-bind.json: cannot be read", self.run_bind("--undo", code=1)[1])
        self.assertEqual(self.get("run/sojourn-bind.json"), "{")


if __name__ == "__main__":
    unittest.main(verbosity=1, argv=[sys.argv[0], *sys.argv[1:]])
