import { copyStylesQuickly } from './window/computed-styles.ts';
import { PageLoads } from './window/page-loads.ts';
import { forgetOwnerStacks, letRenderersTakeTurns } from './window/renderers.ts';
import { installWindow } from './window/window.ts';

// Before anything of a page is imported: React checks for a window only once.
letRenderersTakeTurns();
forgetOwnerStacks();
copyStylesQuickly();
installWindow();
Object.assign(globalThis, { pageLoads: new PageLoads() });
