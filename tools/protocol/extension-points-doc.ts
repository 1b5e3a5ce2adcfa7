import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from '../tidy/tree.ts';
import { EXTENSION_POINTS_PAGE, extensionPointsPage } from './extension-points-page.ts';

/** Writes the page of all extension points. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
writeFileSync(join(ROOT, EXTENSION_POINTS_PAGE), extensionPointsPage(readTree(ROOT)));
