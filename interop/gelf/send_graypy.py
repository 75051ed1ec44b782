"""Sends lines of standard input with graypy: send_graypy.py udp|tcp|http <port> <service>."""

import logging
import sys

import graypy

transport, port, service = sys.argv[1], int(sys.argv[2]), sys.argv[3]
handlers = {
    "udp": lambda: graypy.GELFUDPHandler("127.0.0.1", port),
    "tcp": lambda: graypy.GELFTCPHandler("127.0.0.1", port),
    "http": lambda: graypy.GELFHTTPHandler("127.0.0.1", port),
}
logger = logging.getLogger("interop")
logger.setLevel(logging.DEBUG)
logger.addHandler(handlers[transport]())
for line in sys.stdin:
    logger.warning(line.rstrip("\n"), extra={"service": service})
logging.shutdown()
