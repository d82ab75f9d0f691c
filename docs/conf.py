"""The configuration of Sphinx; build the documentation with ``make docs``."""

from importlib.metadata import version as version_of

from docutils import nodes

project = "ordcut"
author = "the ordcut developers"
copyright = "the ordcut developers"
version = release = version_of("ordcut")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # parameters are described in numpydoc's sections
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "show_signature": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"ordcut {version}"
html_favicon = "images/logo.svg"
html_theme_options = {
    "logo": {
        "text": html_title,
        "image_light": "images/logo.svg",
        "image_dark": "images/logo.svg",
        "alt_text": "ordcut",
    },
    "show_toc_level": 2,
    "navigation_with_keys": True,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": [],
    "header_links_before_dropdown": 7,  # one link for each section
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],  # the field would not fit on tablets
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
}
html_sidebars = {"index": [], "measurements": []}
html_show_sourcelink = False
templates_path = ["templates"]


def skip_request_methods(app, what, name, obj, skip, options):  # noqa: ARG001
    """Leave out the methods that scikit-learn adds to every estimator for metadata routing."""
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_request or name == "get_metadata_routing" else None


def strip_code(app, doctree):  # noqa: ARG001
    """Remove the last blank lines of code, which doctest needs in the source of a page."""
    for block in doctree.findall(nodes.literal_block):
        if len(block.children) == 1 and isinstance(block.children[0], nodes.Text):
            block.rawsource = block.astext().rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Connect the handlers to Sphinx."""
    app.connect("autodoc-skip-member", skip_request_methods)
    app.connect("doctree-read", strip_code)
