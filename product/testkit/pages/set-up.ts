import { PageLoads } from './window/page-loads.ts';
import { installWindow } from './window/window.ts';

// Before anything of a page is imported: React looks for a window once.
installWindow();
Object.assign(globalThis, { pageLoads: new PageLoads() });
