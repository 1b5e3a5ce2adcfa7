import { useCallback, useEffect, useState } from 'react';

const KEY = 'candela.chat';
export const CHAT_SIZES_PX = [12, 13, 14, 15, 16, 17, 18, 19, 20] as const;
export type ChatSize = (typeof CHAT_SIZES_PX)[number];
/** Typefaces of the chat's lines; `wide` sets letters and words apart, which is easier for many to read. */
export const CHAT_FONTS = ['sans', 'serif', 'mono', 'wide'] as const;
export type ChatFont = (typeof CHAT_FONTS)[number];

/** How somebody likes the chat, on this device. */
export interface ChatSettings {
  readonly sizePx: ChatSize;
  readonly font: ChatFont;
  readonly hasTimes: boolean;
  readonly hasNotices: boolean;
  readonly hasTips: boolean;
  readonly isCompact: boolean;
  /** Silences the chat here without changing the volume, which belongs to the account. */
  readonly isMuted: boolean;
  /** Guests have no account to keep a volume in; null takes the account's, or the usual one. */
  readonly volume: number | null;
}

export const USUAL: ChatSettings = {
  sizePx: 14, font: 'sans', hasTimes: false, hasNotices: true, hasTips: true, isCompact: false,
  isMuted: false, volume: null,
};

/** Settings as they were kept; what cannot be read is as usual. */
export function readSettings(kept: string | null): ChatSettings {
  try {
    const known = JSON.parse(kept ?? '{}') as Partial<Record<keyof ChatSettings, unknown>>;
    const flag = (name: 'hasTimes' | 'hasNotices' | 'hasTips' | 'isCompact' | 'isMuted'): boolean =>
      (typeof known[name] === 'boolean' ? known[name] : USUAL[name]);
    const { volume } = known;
    const isVolume = typeof volume === 'number' && volume >= 0 && volume <= 100;
    return {
      sizePx: CHAT_SIZES_PX.find((size) => size === known.sizePx) ?? USUAL.sizePx,
      font: CHAT_FONTS.find((font) => font === known.font) ?? USUAL.font,
      hasTimes: flag('hasTimes'), hasNotices: flag('hasNotices'), hasTips: flag('hasTips'),
      isCompact: flag('isCompact'), isMuted: flag('isMuted'), volume: isVolume ? volume : null,
    };
  } catch {
    return USUAL;
  }
}

/** The settings of this device, kept for the next visit and the same in every tab. */
export function useChatSettings(): {
  readonly settings: ChatSettings;
  readonly change: (some: Partial<ChatSettings>) => void;
} {
  const [settings, setSettings] = useState(USUAL);
  useEffect(() => {
    setSettings(readSettings(stored()));
    const hear = (event: StorageEvent): void => {
      if (event.key === KEY) setSettings(readSettings(event.newValue));
    };
    addEventListener('storage', hear);
    return () => removeEventListener('storage', hear);
  }, []);
  const change = useCallback((some: Partial<ChatSettings>) => setSettings((known) => {
    const next = { ...known, ...some };
    store(JSON.stringify(next));
    return next;
  }), []);
  return { settings, change };
}

/** Storage may be closed to the page; then each visit begins as usual. */
function stored(): string | null {
  try {
    return globalThis.localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(text: string): void {
  try {
    globalThis.localStorage.setItem(KEY, text);
  } catch {
    // Not kept: what shows now does not depend on it.
  }
}
