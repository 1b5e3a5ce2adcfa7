/** A page's report about its device, sent with a product list (spec 1 §7: `fp` and `iobb`). */
export interface DeviceReport {
  /** The same in all visits of this browser. */
  readonly fp?: string;
  /** The device's description of itself. No two are alike: a repeated one is a copy. */
  readonly iobb?: string;
}

/** Stored in this browser. It says nothing about the person, and is created when somebody wants to buy. */
const DEVICE_KEY = 'candela.device';
/** In the form the call takes. */
const DEVICE_ID = /^[\w-]{1,128}$/u;
const MAX_REPORT_LENGTH = 4096;

/** This page's report. Empty if it cannot be made: nobody is refused for that. */
export function deviceReport(): DeviceReport {
  try {
    const stored = localStorage.getItem(DEVICE_KEY);
    const fp = stored !== null && DEVICE_ID.test(stored) ? stored : crypto.randomUUID();
    localStorage.setItem(DEVICE_KEY, fp);
    const { userAgent, language } = navigator;
    const { width, height } = window.screen;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const report = { id: crypto.randomUUID(), userAgent, language, width, height, timeZone };
    return { fp, iobb: btoa(encodeURIComponent(JSON.stringify(report))).slice(0, MAX_REPORT_LENGTH) };
  } catch {
    // A browser that stores nothing, or a page without a secure context.
    return {};
  }
}
