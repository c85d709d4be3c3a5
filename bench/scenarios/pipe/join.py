"""Pipes one program into another, as the article's Python does: join.py BYTES '[[source, ...], [target, ...]]'"""
import json
import subprocess
import sys

chunk_size = int(sys.argv[1])
source, target = json.loads(sys.argv[2])
src = subprocess.Popen(source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
dest = subprocess.Popen(target, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while True:
    data = src.stdout.read(chunk_size)
    if not data:
        break
    dest.stdin.write(data)
dest.stdin.close()
sys.exit(src.wait() or dest.wait())
