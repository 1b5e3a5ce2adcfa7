/** Writes the pages that are made of the tree: the extension points, and the tree in README. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from '../tidy/tree.ts';
import { EXTENSION_POINTS_PAGE, extensionPointsPage } from './extension-points.ts';
import { README, readmeWithTree } from './readme-tree.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tree = readTree(ROOT);
writeFileSync(join(ROOT, EXTENSION_POINTS_PAGE), extensionPointsPage(tree));
writeFileSync(join(ROOT, README), readmeWithTree(tree));
