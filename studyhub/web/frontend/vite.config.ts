/** Builds a script, what it loads for a kind of picture or a file, and a style sheet, with fixed names, which the repository carries. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    outDir: "../static/studyhub/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: true,
    rollupOptions: {
      input: "src/main.ts",
      output: {
        entryFileNames: "app.js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "app.css" : "[name][extname]"),
        chunkFileNames: "[name].js",
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "surface", test: /pictures\/(surface|palette|icons|paint|pieces)\.ts$/ },
            {
              name: "tape",
              test: /pictures\/(tape-cells|tape-rows|tape-words|storage|planes|planes-view)\.ts$/,
            },
            { name: "map", test: /pictures\/(map|map-paint|legend|cells)\.ts$/ },
          ],
        },
      },
    },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.ts"] },
});
