/** Payload types on local sockets, the same both ways: there is nothing to negotiate. */
export const LOCAL_VIDEO_TYPE = 96;
export const LOCAL_AUDIO_TYPE = 111;
