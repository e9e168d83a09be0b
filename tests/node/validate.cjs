// Prints the Khronos validator's verdict on each .glb given, one line of JSON a file.
const fs = require("fs");
const validator = require("gltf-validator");

(async () => {
  for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 20 });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    console.log(JSON.stringify({ errors: numErrors, warnings: numWarnings, infos: numInfos, hints: numHints, messages }));
  }
})();
