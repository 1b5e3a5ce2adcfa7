"""Plays a stream over WHEP with aiortc until 60 pictures and 100 frames of sound were decoded; prints the seconds."""
import asyncio
import sys
import time

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription


async def count(track, wanted: int) -> None:
    for _ in range(wanted):
        await track.recv()


async def main(url: str, cookie: str) -> None:
    began = time.monotonic()
    peer = RTCPeerConnection()
    receivers = [peer.addTransceiver(kind, direction="recvonly").receiver for kind in ("audio", "video")]
    await peer.setLocalDescription(await peer.createOffer())
    headers = {"content-type": "application/sdp", "cookie": cookie}
    async with aiohttp.ClientSession() as http:
        async with http.post(url, data=peer.localDescription.sdp, headers=headers) as response:
            answer = await response.text()
            if response.status != 201:
                raise SystemExit(f"{response.status}: {answer}")
    await peer.setRemoteDescription(RTCSessionDescription(sdp=answer, type="answer"))
    sound, picture = [receiver.track for receiver in receivers]
    await asyncio.wait_for(asyncio.gather(count(sound, 100), count(picture, 60)), 40)
    print(f"{time.monotonic() - began:.1f}")
    await peer.close()


asyncio.run(main(*sys.argv[1:3]))
