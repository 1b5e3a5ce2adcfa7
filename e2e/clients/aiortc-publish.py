"""Publishes a test picture and a tone over WHIP with aiortc: URL, key and codec (H264 or VP8)."""
import asyncio
import sys

import aiohttp
from aiortc import RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer


async def main(url: str, key: str, codec: str) -> None:
    picture = MediaPlayer("testsrc=size=640x360:rate=30", format="lavfi")
    sound = MediaPlayer("sine=frequency=440:sample_rate=48000", format="lavfi")
    peer = RTCPeerConnection()
    peer.addTransceiver(sound.audio, direction="sendonly")
    video = peer.addTransceiver(picture.video, direction="sendonly")
    offered = RTCRtpSender.getCapabilities("video").codecs
    video.setCodecPreferences([one for one in offered if one.mimeType == f"video/{codec}"])
    await peer.setLocalDescription(await peer.createOffer())
    headers = {"content-type": "application/sdp", "authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession() as http:
        async with http.post(url, data=peer.localDescription.sdp, headers=headers) as response:
            answer = await response.text()
            if response.status != 201:
                raise SystemExit(f"{response.status}: {answer}")
    await peer.setRemoteDescription(RTCSessionDescription(sdp=answer, type="answer"))
    await asyncio.sleep(300)


asyncio.run(main(*sys.argv[1:4]))
