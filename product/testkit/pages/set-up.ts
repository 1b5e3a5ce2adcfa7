import { PageLoads } from './window/page-loads.ts';
import { letRenderersTakeTurns } from './window/renderers.ts';
import { installWindow } from './window/window.ts';

// Before anything of a page is imported: React looks for a window once.
letRenderersTakeTurns();
installWindow();
Object.assign(globalThis, { pageLoads: new PageLoads() });
