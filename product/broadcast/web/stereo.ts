const OPUS = /^a=rtpmap:(\d{1,3}) opus\/48000/gimu;

/**
 * Adds stereo to an offer: asks for stereo audio, and marks sent audio as stereo (RFC 7587 §7). Without it
 * Chromium plays and encodes Opus in mono. Browsers offer no API for this, so the SDP text is edited.
 */
export function withStereo(offer: string): string {
  const types = [...offer.matchAll(OPUS)].map(([, type = '']) => type);
  return types.reduce((text, type) => {
    const line = new RegExp(`^a=fmtp:${type} .*$`, 'mu');
    const missing = (parameters: string): string =>
      ['stereo=1', 'sprop-stereo=1']
        .filter((item) => !new RegExp(`[ ;]${item.split('=')[0]}=`, 'u').test(parameters)).join(';');
    if (!line.test(text)) {
      return text.replace(
        new RegExp(`^a=rtpmap:${type} .*$`, 'mu'),
        (mapped) => `${mapped}\r\na=fmtp:${type} ${missing('')}`,
      );
    }
    return text.replace(line, (found) => [found, missing(found)].filter(Boolean).join(';'));
  }, offer);
}
