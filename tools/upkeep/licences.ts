/**
 * `npm run licences`: writes LICENSES.md from package-lock.json, so that every platform writes the same page;
 * `npm run licences -- --check` fails when the page is not current, or when a package has a licence nobody
 * examined.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const root = new URL('../..', import.meta.url).pathname;
const PAGE = join(root, 'LICENSES.md');

const Locked = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).optional(),
});
const Lock = z.object({ packages: z.record(z.string(), Locked) });
type Locked = z.infer<typeof Locked>;

/** Licences that were read and found to go with an MIT program, and what the weaker copyleft ones ask for. */
const EXAMINED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'OFL-1.1',
  'MPL-2.0',
  'LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
]);
const SPELLINGS: Readonly<Record<string, string>> = { 'MPL 2.0': 'MPL-2.0' };
const PLATFORM = /[-/](?:android|darwin|freebsd|linux|linuxmusl|win32|wasm32|webcontainers)(?:-.*)?$/;

const NOTES =
  `Candela itself is under the MIT licence (\`LICENSE\`). It is started from source: no package below
is changed, and all of them are fetched from the public registry by \`npm ci\`.

## What deserves a word

- **node-datachannel** (MPL-2.0) carries **libdatachannel** and **libjuice** (MPL-2.0), **libsrtp** and
  **usrsctp** (BSD-3-Clause) and **OpenSSL** (Apache-2.0) in its platform packages. The MPL asks that changes
  to its own files be published; there are none.
- **sharp** (Apache-2.0) loads **libvips** (LGPL-3.0-or-later) as a dynamic library of its own package, which
  anyone can replace by another build, as the LGPL asks.
- **node-av** (MIT) loads a binary of **FFmpeg** with x264 (GPL-3.0-or-later) from its platform packages,
  whatever these say of themselves. It runs in processes of its own, which Candela starts and talks to by
  messages, sockets and files; nothing of it is linked into the server. Who passes the package on must offer
  its sources, which are those of jellyfin-ffmpeg and node-av.
- **@electric-sql/pglite** (Apache-2.0) contains **PostgreSQL** under the PostgreSQL Licence.
- **Inter** (\`@fontsource-variable/inter\`) is under the SIL Open Font License 1.1; it is served unchanged.
- **lucide-react** (ISC) contains icons of Feather (MIT).
- PostgreSQL servers, Chromium, and the \`ffmpeg\` the demo loops are made with, are programs of the machine.
  Candela starts them where they are installed and ships none of them.
- Texts of all licences of packages lie in \`node_modules/<package>/\` after \`npm ci\`.
- \`platform/text/shown/look-alikes.ts\` has letters out of **confusables.txt** of Unicode (UTS #39), chosen
  from it and ordered otherwise. They are under the Unicode License V3, whose notice is this:

\`\`\`
UNICODE LICENSE V3

COPYRIGHT AND PERMISSION NOTICE

Copyright © 1991-2025 Unicode, Inc.

NOTICE TO USER: Carefully read the following legal agreement. BY
DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.

Permission is hereby granted, free of charge, to any person obtaining a
copy of data files and any associated documentation (the "Data Files") or
software and any associated documentation (the "Software") to deal in the
Data Files or Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, and/or sell
copies of the Data Files or Software, and to permit persons to whom the
Data Files or Software are furnished to do so, provided that either (a)
this copyright and permission notice appear with all copies of the Data
Files or Software, or (b) this copyright and permission notice appear in
associated Documentation.

THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
THIRD PARTY RIGHTS.

IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE
BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES,
OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA
FILES OR SOFTWARE.

Except as contained in this notice, the name of a copyright holder shall
not be used in advertising or otherwise to promote the sale, use or other
dealings in these Data Files or Software without prior written
authorization of the copyright holder.
\`\`\`
`;

function readLock(): Record<string, Locked> {
  return Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))).packages;
}

/** Where Node finds `name` from `path`: its own folder first, then those above. */
function resolve(packages: Record<string, Locked>, path: string, name: string): string | null {
  for (let folder = path;; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const found = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[found]) return found;
    if (folder === '') return null;
  }
}

/** Everything the production dependencies need, on any platform. */
function production(packages: Record<string, Locked>): Map<string, Locked> {
  const reached = new Map<string, Locked>();
  const visit = (path: string): void => {
    const entry = packages[path];
    if (!entry || reached.has(path)) return;
    if (path !== '') reached.set(path, entry);
    const peers = Object.keys(entry.peerDependencies ?? {})
      .filter((name) => !entry.peerDependenciesMeta?.[name]?.optional);
    for (const name of [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers]) {
      const found = resolve(packages, path, name);
      if (found) visit(found);
    }
  };
  visit('');
  return reached;
}

function page(): { readonly text: string; readonly unexamined: readonly string[] } {
  const rows = new Map<string, { name: string; versions: Set<string>; licence: string }>();
  const unexamined: string[] = [];
  for (const [path, { version = '', license = '', os, cpu }] of production(readLock())) {
    const full = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = SPELLINGS[license] ?? license;
    if (!EXAMINED.has(licence)) unexamined.push(`${full}@${version}: "${licence}"`);
    const name = os || cpu
      ? full.replace(PLATFORM, (suffix) => `${suffix.charAt(0)}<platform>`)
      : full;
    const row = rows.get(`${name} ${licence}`) ?? { name, versions: new Set<string>(), licence };
    row.versions.add(version);
    rows.set(`${name} ${licence}`, row);
  }
  const sorted = [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const lines = sorted.map(
    (row) => `| ${row.name} | ${[...row.versions].sort().join(', ')} | ${row.licence} |`,
  );
  const table = `## Production dependencies\n\n| Package | Version | Licence |\n|---|---|---|\n${
    lines.join('\n')
  }\n`;
  return { text: `# Licences\n\nGenerated by \`npm run licences\`.\n\n${NOTES}\n${table}`, unexamined };
}

const { text, unexamined } = page();
for (const one of unexamined) {
  console.error(
    `${one}: read this licence, then add it to EXAMINED in tools/upkeep/licences.ts or drop the package`,
  );
}
if (unexamined.length > 0) process.exitCode = 1;
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('LICENSES.md is not current: npm run licences');
  process.exitCode = 1;
}
