/**
 * The browser named by CHROMIUM_PATH, else one on PATH, else one in its usual place, else one installed with
 * apt-get as root; throws with what to type when there is none.
 */
export declare function requireChromium(): string;
/** Flags for a quiet headless browser that calls nobody. */
export declare const CHROMIUM_FLAGS: readonly string[];
