import { playerDefaults, QUALITIES, STREAM_TYPES, type PlayerState } from '../../rules.ts';

const KEY = 'candela.player';

/** What a person chose for every player of this browser. */
export interface PlayerChoices extends PlayerState {
  /** Saves data: starts in sd, pauses in hidden tabs, and shows no previews. */
  readonly saver: boolean;
}

/** What this device says before anybody chose. */
export interface Device {
  readonly webrtc: boolean;
  /** The person asked the browser to save data (Network Information, `saveData`). */
  readonly saveData: boolean;
}

const among = <T extends string>(values: readonly T[], value: unknown): T | null =>
  values.find((one) => one === value) ?? null;

/** Choices as they were kept; what is none of the values they can take counts as not chosen. */
export function readChoices(kept: string | null, device: Device): PlayerChoices {
  const told = parsed(kept);
  const saver = typeof told['saver'] === 'boolean' ? told['saver'] : device.saveData;
  const usual = playerDefaults(device);
  return {
    quality: among(QUALITIES, told['quality']) ?? (saver ? 'sd' : usual.quality),
    streamType: among(STREAM_TYPES, told['streamType']) ?? usual.streamType,
    saver,
  };
}

/** Turning the saver on or off chooses the quality that goes with it. */
export const withSaver = (choices: PlayerChoices, saver: boolean): PlayerChoices =>
  ({ ...choices, saver, quality: saver ? 'sd' : 'hd' });

function parsed(kept: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(kept ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The choices of this browser. */
export function storedChoices(): PlayerChoices {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } };
  const device = { webrtc: 'RTCPeerConnection' in globalThis, saveData: connection?.saveData === true };
  try {
    return readChoices(globalThis.localStorage.getItem(KEY), device);
  } catch {
    return readChoices(null, device);
  }
}

export function storeChoices(choices: PlayerChoices): void {
  try {
    globalThis.localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // Storage is closed to the page: the choice holds until it is left.
  }
}
