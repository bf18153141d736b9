"""gRPC by hand: HTTP/2 frames and protobuf fields written byte by byte, from the field numbers alone.

No library stands between the test and the daemon, so a client may be as rude as it likes.
"""
import socket
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 0x20

STATIC = [None, ":authority", ":method", ":method", ":path", ":path", ":scheme", ":scheme", ":status", ":status",
          ":status", ":status", ":status", ":status", ":status"] + ["?"] * 47
STATIC[8:15] = [":status"] * 7


# ---- protobuf ----

def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def string(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def fields(message):
    """{number: [values]} of a message."""
    out, at = {}, 0

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = take()
        if tag & 7 == 0:
            value = take()
        elif tag & 7 == 2:
            n = take()
            value = message[at : at + n]
            at += n
        else:
            raise ValueError(f"wire type {tag & 7}")
        out.setdefault(tag >> 3, []).append(value)
    return out


# ---- HPACK, without Huffman (libgrpc sends none) ----

class Headers:
    def __init__(self):
        self.dynamic = []

    def integer(self, block, at, bits):
        mask = (1 << bits) - 1
        value = block[at] & mask
        at += 1
        if value == mask:
            shift = 0
            while True:
                byte = block[at]
                at += 1
                value += (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
        return value, at

    def text(self, block, at):
        huffman = block[at] & 0x80
        n, at = self.integer(block, at, 7)
        raw = block[at : at + n]
        return ("<huffman>" if huffman else raw.decode("latin-1")), at + n

    def entry(self, index):
        if index < 62:
            return STATIC[index] if index < len(STATIC) else "?", "200" if index == 8 else "?"
        return self.dynamic[index - 62]

    def decode(self, block):
        out, at = [], 0
        while at < len(block):
            byte = block[at]
            if byte & 0x80:
                index, at = self.integer(block, at, 7)
                out.append(self.entry(index))
                continue
            if byte & 0xE0 == 0x20:
                _, at = self.integer(block, at, 5)
                continue
            keep = byte & 0xC0 == 0x40
            index, at = self.integer(block, at, 6 if keep else 4)
            if index:
                name = self.entry(index)[0]
            else:
                name, at = self.text(block, at)
            value, at = self.text(block, at)
            out.append((name, value))
            if keep:
                self.dynamic.insert(0, (name, value))
        return out


def header_block(pairs):
    block = b""
    for name, value in pairs:
        block += b"\x00" + bytes([len(name)]) + name.encode() + prefixed(value.encode())
    return block


def prefixed(value):
    if len(value) < 127:
        return bytes([len(value)]) + value
    return b"\x7f" + varint(len(value) - 127) + value


class Answer:
    def __init__(self):
        self.headers, self.body, self.reset = {}, b"", None

    @property
    def code(self):
        return int(self.headers.get("grpc-status", "-1"))

    @property
    def text(self):
        return self.headers.get("grpc-message", "")

    @property
    def messages(self):
        out, at = [], 0
        while at + 5 <= len(self.body):
            n = struct.unpack(">I", self.body[at + 1 : at + 5])[0]
            out.append(self.body[at + 5 : at + 5 + n])
            at += 5 + n
        return out

    @property
    def fields(self):
        return fields(self.messages[0])


class Connection:
    def __init__(self, path, timeout=60, window=1 << 24):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(path))  # with a timeout a full backlog would be an error at once
        self.socket.settimeout(timeout)
        self.headers, self.stream, self.inbox = Headers(), -1, b""
        self.window, self.windows, self.initial = 65535, {}, 65535
        self.answers, self.closed = {}, set()
        settings = struct.pack(">HI", 4, window)
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(SETTINGS, 0, 0, settings)
        if window > 65535:
            self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", window))

    def close(self):
        self.socket.close()

    def frame(self, kind, flags, stream, payload):
        self.socket.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def open(self, method, more=(), end=False):
        """Begins a call; returns its stream."""
        self.stream += 2
        path = method if method.startswith("/") else "/cuzk.v1.ProvingEngine/" + method
        block = header_block([(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
                              ("te", "trailers"), ("content-type", "application/grpc"), *more])
        self.answers[self.stream] = Answer()
        self.windows[self.stream] = self.initial
        self.frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), self.stream, block)
        return self.stream

    def send(self, stream, data, end=False):
        """DATA within the daemon's windows; stops early where the stream was ended by the daemon."""
        data, at = memoryview(data), 0
        while at < len(data) or (end and not data):
            if stream in self.closed:
                return at
            room = min(self.window, self.windows[stream], 16384)
            if room <= 0 and len(data):
                self.step()
                continue
            chunk = data[at : at + room]
            at += len(chunk)
            self.window -= len(chunk)
            self.windows[stream] -= len(chunk)
            self.frame(DATA, END_STREAM if end and at == len(data) else 0, stream, bytes(chunk))
            if not data:
                break
        return at

    def read_exactly(self, n):
        while len(self.inbox) < n:
            got = self.socket.recv(1 << 16)
            if not got:
                raise ConnectionError("the daemon has closed the connection")
            self.inbox += got
        out, self.inbox = self.inbox[:n], self.inbox[n:]
        return out

    def step(self):
        """Takes one frame."""
        head = self.read_exactly(9)
        length = struct.unpack(">I", b"\0" + head[:3])[0]
        kind, flags, stream = head[3], head[4], struct.unpack(">I", head[5:])[0] & 0x7FFFFFFF
        payload = self.read_exactly(length)
        if kind == SETTINGS and not flags & ACK:
            for i in range(0, len(payload), 6):
                key, value = struct.unpack(">HI", payload[i : i + 6])
                if key == 4:
                    for each in self.windows:
                        self.windows[each] += value - self.initial
                    self.initial = value
            self.frame(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self.frame(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            n = struct.unpack(">I", payload)[0]
            if stream == 0:
                self.window += n
            elif stream in self.windows:
                self.windows[stream] += n
        elif kind == HEADERS:
            for name, value in self.headers.decode(payload):
                self.answers[stream].headers[name] = value
        elif kind == DATA:
            self.answers[stream].body += payload
            if payload:
                self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(payload)))
                self.frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", len(payload)))
        elif kind == RST_STREAM:
            self.answers[stream].reset = struct.unpack(">I", payload)[0]
            self.closed.add(stream)
        elif kind == GOAWAY:  # without an error streams up to `last` are still answered (RFC 9113, 6.8)
            last, error = struct.unpack(">II", payload[:8])
            if error != 0 or any(open_one > last for open_one in self.answers.keys() - self.closed):
                raise ConnectionError("GOAWAY " + repr(payload))
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.closed.add(stream)
        return kind, stream

    def wait(self, stream):
        while stream not in self.closed:
            self.step()
        return self.answers[stream]

    def send_call(self, method, message, more=()):
        """A whole request, not waited for; returns its stream."""
        stream = self.open(method, more)
        self.send(stream, b"\0" + struct.pack(">I", len(message)) + message, end=True)
        return stream

    def call(self, method, message, more=()):
        return self.wait(self.send_call(method, message, more))
