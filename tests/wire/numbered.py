"""Numbered datagrams through the wire: what is lost, reordered or late is seen."""
import select
import socket
import struct
import threading
import time

PERIOD_S = 0.001
STAMP = struct.Struct("!IQ")


class Numbered:
    """1000 numbered datagrams a second from client to server, and when each came."""

    def __init__(self, pair):
        with pair.server.inside():
            self.receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.receiver.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.receiver.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
        self.receiver.bind((pair.server.ipv4, 7000))
        with pair.client.inside():
            self.sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sender.connect((pair.server.ipv4, 7000))
        self.is_running, self.sent, self.came = True, 0, []  # came: (number, when sent, delay in ms)

    def send(self):
        due = time.monotonic()
        while self.is_running:
            self.sender.send(STAMP.pack(self.sent, time.time_ns()))
            self.sent += 1
            due += PERIOD_S
            time.sleep(max(0, due - time.monotonic()))

    def receive(self):
        while True:
            ready, _, _ = select.select([self.receiver], [], [], 1.0)
            if not ready:
                if not self.is_running:
                    return
                continue
            data, ancillary, _, _ = self.receiver.recvmsg(64, 64)
            number, sent_ns = STAMP.unpack(data)
            seconds, ns = struct.unpack("qq", ancillary[0][2])  # when the kernel had it
            self.came.append((number, sent_ns, (seconds * 1_000_000_000 + ns - sent_ns) / 1e6))

    def start(self):
        self.threads = [threading.Thread(target=f) for f in (self.send, self.receive)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_running = False
        for thread in self.threads:
            thread.join()
        self.sender.close()
        self.receiver.close()
