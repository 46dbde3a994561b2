"""usage: conda_recipe.py RECIPE: what rattler-build would build of a recipe, for Linux on two processors, a line each.
Nothing is fetched or built."""
import sys

import rattler_build

NAMES = ["libexblas", "libblas", "libcblas", "liblapack", "blas"]

for platform in ("linux-64", "linux-aarch64"):
    config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform=platform))
    outputs = [v.recipe.to_dict() for v in rattler_build.Stage0Recipe.from_file(sys.argv[1]).render(render_config=config)]
    assert [output["package"]["name"] for output in outputs] == NAMES, outputs
    for output in outputs[1:]:
        assert output["build"]["variant"]["down_prioritize_variant"] == 1 and output["requirements"]["run"], output
    for output in outputs:
        package, build = output["package"], output["build"]
        print(platform, f"{package['name']}-{package['version']}-{build['string']}", output["requirements"])
