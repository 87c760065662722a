# SPDX-License-Identifier: GPL-2.0-or-later
"""The three algorithms. Each calls one subcommand of cof."""
from qgis.core import (QgsProcessing, QgsProcessingAlgorithm, QgsProcessingException,
                       QgsProcessingParameterEnum, QgsProcessingParameterFile,
                       QgsProcessingParameterFileDestination,
                       QgsProcessingParameterMultipleLayers,
                       QgsProcessingParameterRasterDestination,
                       QgsProcessingParameterRasterLayer, QgsProcessingParameterString)

from . import command, options

KINDS = ["auto", "grey", "grey-alpha", "rgb", "rgba", "bands"]
ABOUT = ("Options that are not set have the value of the preset, or their default. Pixels without "
         "data are not learned from, not averaged, and left as they are.")


class CofAlgorithm(QgsProcessingAlgorithm):
    """What the algorithms share: `groups` are those of the option table."""
    groups = ()
    subcommand = label = title = text = ""

    def createInstance(self):
        return type(self)()

    def name(self):
        return self.label

    def displayName(self):
        return self.title

    def shortHelpString(self):
        return f"{self.text}\n\n{ABOUT}"

    def _add_options(self):
        for option in options.of_groups(*self.groups):
            self.addParameter(options.parameter(option))
        self.addParameter(QgsProcessingParameterEnum(
            "KIND", "What the bands of the raster mean", options=KINDS, defaultValue="auto",
            optional=True, usesStaticStrings=True))
        self.addParameter(QgsProcessingParameterString(
            "NODATA", "Value that marks no data (auto: as the file says; none: no value)",
            defaultValue="auto", optional=True))

    def _given(self, parameters, context):
        """The options that are set, with their values."""
        for option in options.of_groups(*self.groups):
            name = options.parameter_name(option)
            if parameters.get(name) in (None, ""):
                continue
            if option["type"] == "choice":
                yield option, self.parameterAsEnumString(parameters, name, context)
            elif option["type"] == "real":
                yield option, self.parameterAsDouble(parameters, name, context)
            else:
                yield option, self.parameterAsInt(parameters, name, context)

    def checkParameterValues(self, parameters, context):
        ok, reason = super().checkParameterValues(parameters, context)
        if not ok:
            return ok, reason
        for option in options.of_groups(*self.groups):
            name = options.parameter_name(option)
            if option["type"] != "choice" and not options.is_number(parameters.get(name) or 0):
                return False, f"Incorrect parameter value for {name}"
        for option, value in self._given(parameters, context):
            reason = options.problem(option, value)
            if reason:
                return False, reason
        return True, ""

    def _options(self, parameters, context):
        made = [options.argument(option, f"{value:.17g}" if option["type"] == "real" else value)
                for option, value in self._given(parameters, context)]
        kind = self.parameterAsEnumString(parameters, "KIND", context) or "auto"
        nodata = self.parameterAsString(parameters, "NODATA", context) or "auto"
        return [*made, f"--kind={kind}", f"--nodata={nodata}"]

    def _path(self, layer):
        """The file of a layer."""
        if layer is None or layer.dataProvider().name() != "gdal":
            name = "it" if layer is None else layer.name()
            raise QgsProcessingException(f"{name} is not a raster file that GDAL reads")
        return layer.source()

    def _input(self, parameters, context):
        return self._path(self.parameterAsRasterLayer(parameters, "INPUT", context))


class FilterAlgorithm(CofAlgorithm):
    groups = "general", "learning", "the model", "filtering", "execution"
    subcommand, label, title = "filter", "filter", "Filter raster"
    text = "Smooths textures of a raster and keeps the boundaries between them."

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterRasterLayer("INPUT", "Input raster"))
        self._add_options()
        self.addParameter(QgsProcessingParameterRasterDestination("OUTPUT", "Filtered raster"))

    def processAlgorithm(self, parameters, context, feedback):
        output = self.parameterAsOutputLayer(parameters, "OUTPUT", context)
        command.run([self.subcommand, *self._options(parameters, context),
                     self._input(parameters, context), output], feedback)
        return {"OUTPUT": output}


class LearnAlgorithm(CofAlgorithm):
    groups = "general", "learning", "the model", "execution"
    subcommand, label, title = "learn", "learn", "Learn model"
    text = "Learns one model from one or more rasters, for Apply model."

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterMultipleLayers(
            "INPUT", "Rasters to learn from", QgsProcessing.TypeRaster))
        self._add_options()
        self.addParameter(QgsProcessingParameterFileDestination("OUTPUT", "Model",
                                                                "Models (*.cof)"))

    def processAlgorithm(self, parameters, context, feedback):
        layers = self.parameterAsLayerList(parameters, "INPUT", context)
        output = self.parameterAsFileOutput(parameters, "OUTPUT", context)
        command.run([self.subcommand, *self._options(parameters, context),
                     *map(self._path, layers), "-o", output], feedback)
        return {"OUTPUT": output}


class ApplyAlgorithm(CofAlgorithm):
    groups = "filtering", "execution"
    subcommand, label, title = "apply", "apply", "Apply model"
    text = "Filters a raster with a model that Learn model has made."

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterFile("MODEL", "Model", extension="cof"))
        self.addParameter(QgsProcessingParameterRasterLayer("INPUT", "Input raster"))
        self._add_options()
        self.addParameter(QgsProcessingParameterRasterDestination("OUTPUT", "Filtered raster"))

    def processAlgorithm(self, parameters, context, feedback):
        model = self.parameterAsFile(parameters, "MODEL", context)
        output = self.parameterAsOutputLayer(parameters, "OUTPUT", context)
        command.run([self.subcommand, *self._options(parameters, context), model,
                     self._input(parameters, context), output], feedback)
        return {"OUTPUT": output}
