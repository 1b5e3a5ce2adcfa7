import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installWithApt } from './apt.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** @param {string} path */
function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @returns {string | null} the browser named by CHROMIUM_PATH, else one on PATH, else one in its usual place
 */
function findChromium() {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return runs(named) ? named : null;
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...PLACES].find(runs)
    ?? null;
}

/**
 * The path of a Chromium or Chrome: one that is there, else one installed with apt-get as root. Throws with
 * what to type when there is neither.
 * @returns {string}
 */
export function requireChromium() {
  const found = findChromium() ?? (installWithApt('chromium') ? findChromium() : null);
  if (found) return found;
  throw new Error(
    'The browser journeys need Chromium or Chrome. Install one, e.g. `sudo apt-get install chromium` or '
      + '`brew install --cask chromium`, or name it: CHROMIUM_PATH=/path/to/chrome npm test',
  );
}

/**
 * Features of the browser's own window that nobody sees here. The first two are pages of their own behind
 * every address bar: a second of a processor for each window. The others are those that playwright turns off,
 * whose list this one replaces.
 */
const UNSEEN = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Flags for a quiet headless browser that calls nobody. */
export const CHROMIUM_FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${UNSEEN.join(',')}`,
];
