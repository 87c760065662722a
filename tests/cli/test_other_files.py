#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An image that somebody has sent must not make GDAL read other files, or the network."""
import ctypes
import ctypes.util
import http.server
import shutil
import threading
import unittest

from command import run_cof, setUpModule
from rasters import GeoTest, PLAIN, gdal, np, texture, write

# Files of formats whose pixels are elsewhere: in {file}, or at {address}. GDAL reads them all, with
# the name photo.jpg, too.
CONTENTS = {
    "VRT": """<VRTDataset rasterXSize="4" rasterYSize="4">
        <VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand">
        <SourceFilename relativetoVRT="0">{file}</SourceFilename></VRTRasterBand></VRTDataset>""",
    "WMS": """<GDAL_WMS><Service name="TMS"><ServerUrl>{address}/${{z}}/${{x}}/${{y}}.png</ServerUrl>
        </Service><DataWindow><UpperLeftX>0</UpperLeftX><UpperLeftY>1</UpperLeftY>
        <LowerRightX>1</LowerRightX><LowerRightY>0</LowerRightY><TileLevel>2</TileLevel></DataWindow>
        </GDAL_WMS>""",
    "WMTS": "<GDAL_WMTS><GetCapabilitiesUrl>{address}/a.xml</GetCapabilitiesUrl></GDAL_WMTS>",
    "WCS": """<WCS_GDAL><ServiceURL>{address}/?</ServiceURL><CoverageName>a</CoverageName>
        </WCS_GDAL>""",
    "MRF": """<MRF_META><Raster><Size x="64" y="64" c="1"/><PageSize x="64" y="64" c="1"/>
        <Compression>NONE</Compression><DataType>Byte</DataType><DataFile>{file}</DataFile>
        <IndexFile>{file}</IndexFile></Raster></MRF_META>""",
    "ERS": """DatasetHeader Begin
        Version = "6.0"
        DataFile = "{file}"
        DataSetType = ERStorage
        DataType = Raster
        ByteOrder = LSBFirst
        RasterInfo Begin
            CellType = Unsigned8BitInteger
            NrOfLines = 64
            NrOfCellsPerLine = 64
            NrOfBands = 1
        RasterInfo End
        DatasetHeader End
        """,
    "PDS": """PDS_VERSION_ID = PDS3
        RECORD_TYPE = FIXED_LENGTH
        RECORD_BYTES = 64
        ^IMAGE = ("secret.raw",1)
        OBJECT = IMAGE
        LINES = 64
        LINE_SAMPLES = 64
        SAMPLE_TYPE = MSB_UNSIGNED_INTEGER
        SAMPLE_BITS = 8
        END_OBJECT = IMAGE
        END
        """,
    "PDS4": """<Product_Observational xmlns="http://pds.nasa.gov/pds4/pds/v1">
        <File_Area_Observational><File><file_name>secret.raw</file_name></File>
        <Array_2D><offset unit="byte">0</offset><axes>2</axes>
        <axis_index_order>Last Index Fastest</axis_index_order>
        <Element_Array><data_type>UnsignedByte</data_type></Element_Array>
        <Axis_Array><axis_name>Line</axis_name><elements>64</elements>
        <sequence_number>1</sequence_number></Axis_Array>
        <Axis_Array><axis_name>Sample</axis_name><elements>64</elements>
        <sequence_number>2</sequence_number></Axis_Array>
        </Array_2D></File_Area_Observational></Product_Observational>""",
    "ISIS2": """CCSD3ZF0000100000001NJPL3IF0PDS200000001 = SFDU_LABEL
        RECORD_TYPE = FIXED_LENGTH
        RECORD_BYTES = 512
        ^QUBE = "secret.raw"
        OBJECT = QUBE
        AXES = 3
        AXIS_NAME = (SAMPLE,LINE,BAND)
        CORE_ITEMS = (64,64,1)
        CORE_ITEM_BYTES = 1
        CORE_ITEM_TYPE = PC_UNSIGNED_INTEGER
        CORE_BASE = 0.0
        CORE_MULTIPLIER = 1.0
        SUFFIX_ITEMS = (0,0,0)
        END_OBJECT = QUBE
        END
        """,
    "ISIS3": """Object = IsisCube
        Object = Core
        StartByte = 1
        Format = BandSequential
        ^Core = {file}
        Group = Dimensions
        Samples = 64
        Lines = 64
        Bands = 1
        End_Group
        Group = Pixels
        Type = UnsignedByte
        ByteOrder = Lsb
        Base = 0.0
        Multiplier = 1.0
        End_Group
        End_Object
        End_Object
        End
        """,
    "DIMAP": """<Dimap_Document><Metadata_Id><METADATA_FORMAT version="1.1">DIMAP</METADATA_FORMAT>
        </Metadata_Id><Raster_Dimensions><NCOLS>64</NCOLS><NROWS>64</NROWS><NBANDS>1</NBANDS>
        </Raster_Dimensions><Data_Access><Data_File><DATA_FILE_PATH href="{file}"/></Data_File>
        </Data_Access></Dimap_Document>""",
    "STACIT": """{{"type": "FeatureCollection", "stac_version": "1.0.0", "features": [{{
        "type": "Feature", "stac_version": "1.0.0", "stac_extensions": ["projection"],
        "properties": {{"proj:epsg": 32633}}, "assets": {{"B01": {{"href": "{file}",
        "proj:shape": [64, 64], "proj:transform": [10, 0, 500000, 0, -10, 5000000, 0, 0, 1]}}}}}}]}}""",
}
# Formats that GDAL writes and that may have any name: they hold their own pixels.
ANY_NAME = {"AAIGrid", "AVIF", "BMP", "BT", "DTED", "EHdr", "ELAS", "ENVI", "FIT", "FITS", "GIF", "GRIB",
            "GS7BG", "GSAG", "GSBG", "GTX", "GTiff", "ISCE", "JP2OpenJPEG", "JPEG", "JPEGXL", "LAN", "NITF",
            "PNG", "PNM", "ROI_PAC", "SGI", "USGSDEM", "WEBP", "XPM", "XYZ"}


def without_indents(text):
    return "\n".join(line.strip() for line in text.splitlines()) + "\n"


class Server(http.server.BaseHTTPRequestHandler):
    """Sends one content for every name, and counts."""
    def do_GET(self):
        self.server.requests += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def gdal_opens(name):
    try:
        return gdal.Open(name) is not None
    except RuntimeError:
        return False


class OtherFiles(GeoTest):
    NAMES = ("photo.jpg", "photo.tif", "photo.png", "photo", "photo.vrt.jpg", "photo.dat")

    def setUp(self):
        super().setUp()
        (self.folder / "secret.raw").write_bytes(bytes(range(256)) * 16)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.server.requests, self.server.content = 0, b""
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def check_refused(self, content, form, names=NAMES):
        for name in names:
            with self.subTest(name):
                (self.folder / name).write_bytes(content)
                self.assert_rejected(f"{name} out.tif", 1, name)
                self.assert_rejected(f"--reader gdal {name} out.tif", 1, name, f"the format {form},")
                self.assertEqual(self.server.requests, 0)

    def test_formats(self):
        for form, text in CONTENTS.items():
            if gdal.GetDriverByName(form) is None:
                continue
            with self.subTest(form):
                text = text.format(file=self.folder / "secret.raw", address=self.address)
                content = without_indents(text).encode()
                # The file is one of that format.
                (self.folder / "photo.jpg").write_bytes(content)
                self.assertEqual(gdal.IdentifyDriverEx(str(self.folder / "photo.jpg")).ShortName, form)
                self.check_refused(content, form, self.NAMES if form in ("VRT", "ERS") else ["photo.jpg"])

    def test_own_suffixes(self):
        write(self.folder / "secret.tif", texture(1))
        gdal.Translate(str(self.folder / "list.vrt"), str(self.folder / "secret.tif"), format="VRT")
        self.run_ok(*PLAIN, "list.vrt", "out.tif")
        shutil.copy(self.folder / "list.vrt", self.folder / "list.xml")
        self.run_ok(*PLAIN, "list.xml", "out.tif")
        for form, name in (("ERS", "a.ers"), ("PDS", "a.lbl"), ("ISIS3", "a.cub"), ("PDS4", "a.xml")):
            with self.subTest(form):
                text = CONTENTS[form].format(file=self.folder / "secret.raw")
                (self.folder / name).write_text(without_indents(text))
                self.run_ok(*PLAIN, "--reader", "gdal", name, "out.tif")
        # Nor does the suffix of one format open another.
        shutil.copy(self.folder / "list.vrt", self.folder / "list.img")
        self.assert_rejected("list.img out.tif", 1, "the format VRT,", ".vrt")

    def test_hdf5_with_pixels_elsewhere(self):
        """An HDF5 file can store a dataset in any other file."""
        library = ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")
        if library is None or gdal.GetDriverByName("HDF5") is None:
            self.skipTest("no HDF5")
        hdf5 = ctypes.CDLL(library)
        number = ctypes.c_int64
        for name in ("H5Fcreate", "H5Screate_simple", "H5Pcreate", "H5Dcreate2"):
            getattr(hdf5, name).restype = number
        hdf5.H5open()
        constant = {name: number.in_dll(hdf5, name) for name in
                    ("H5P_CLS_DATASET_CREATE_ID_g", "H5T_STD_U8LE_g")}
        default, truncate = number(0), ctypes.c_uint(2)
        file = number(hdf5.H5Fcreate(bytes(self.folder / "a.h5"), truncate, default, default))
        space = number(hdf5.H5Screate_simple(2, (ctypes.c_uint64 * 2)(64, 64), None))
        layout = number(hdf5.H5Pcreate(constant["H5P_CLS_DATASET_CREATE_ID_g"]))
        hdf5.H5Pset_external(layout, bytes(self.folder / "secret.raw"), ctypes.c_long(0),
                             ctypes.c_uint64(4096))
        data = number(hdf5.H5Dcreate2(file, b"x", constant["H5T_STD_U8LE_g"], space, default, layout,
                                      default))
        hdf5.H5Dclose(data)
        hdf5.H5Fclose(file)
        self.assertGreater(gdal.Open(str(self.folder / "a.h5")).ReadAsArray().max(), 250)
        self.run_ok(*PLAIN, "a.h5", "out.tif")
        self.result.unlink()
        self.check_refused((self.folder / "a.h5").read_bytes(), "HDF5")

    def test_overviews_elsewhere(self):
        """A GeoTIFF can name its overviews."""
        for place in (self.address + "/a.tif", f"/vsicurl/{self.address}/a.tif", "/etc/passwd",
                      ":::BASE:::../a.tif"):
            with self.subTest(place):
                out = write(self.source, texture(1))
                out.SetMetadata({"OVERVIEW_FILE": place}, "OVERVIEWS")
                del out
                self.assert_rejected("in.tif out.tif", 1, "in.tif", "OVERVIEW_FILE")
                self.assert_rejected("--overviews in.tif out.tif", 1, "in.tif", "OVERVIEW_FILE")
                self.assertEqual(self.server.requests, 0)
                self.source.unlink()

    def test_what_an_address_sends(self):
        write(self.folder / "secret.tif", texture(1))
        gdal.Translate(str(self.folder / "list.vrt"), str(self.folder / "secret.tif"), format="VRT")
        text = (self.folder / "list.vrt").read_text()
        text = text.replace('relativeToVRT="1">', f'relativeToVRT="0">{self.folder}/')
        self.assertIn(str(self.folder / "secret.tif"), text)
        self.server.content = text.encode()
        for prefix in ("", "/vsicurl/"):
            self.assert_rejected(f"{prefix}{self.address}/photo.jpg out.tif", 1, "photo.jpg")
        self.assertGreater(self.server.requests, 0)
        self.server.content = (self.folder / "secret.tif").read_bytes()
        if gdal_opens(f"{self.address}/photo.tif"):  # not with GDAL 3.13.1 of Debian testing
            self.run_ok(*PLAIN, f"{self.address}/photo.tif", "out.tif")

    def test_every_format_that_is_written(self):
        """Under a name without a suffix, exactly those are read that hold their own pixels."""
        array = texture(1, np.uint8, 0, 255)
        memory = gdal.GetDriverByName("MEM").Create("", array.shape[1], array.shape[0], 1)
        memory.GetRasterBand(1).WriteArray(array[..., 0])
        memory.SetGeoTransform((8, 1 / 1200, 0, 50, 0, -1 / 1200))
        found, tried = set(), set()
        for driver in map(gdal.GetDriver, range(gdal.GetDriverCount())):
            if driver.GetMetadataItem("DCAP_RASTER") and self.make(driver, memory):
                tried.add(driver.ShortName)
                arguments = [*PLAIN, "--kind", "grey", "--nodata", "none", "--reader", "gdal",
                             "made/photo", "out.tif"]
                done = run_cof(arguments, self.folder)
                if done.returncode == 0:
                    found.add(driver.ShortName)
        self.assertEqual(found, tried & ANY_NAME)
        self.assertGreater(len(tried), 30)

    def make(self, driver, memory):
        """Writes a file as `photo`, with files beside it; whether GDAL did so and reads it."""
        folder = self.folder / "made"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            copy = driver.CreateCopy(str(folder / "photo"), memory)
            del copy
            opened = gdal.OpenEx(str(folder / "photo"), gdal.OF_RASTER)
            return opened.GetDriver().ShortName == driver.ShortName and opened.RasterCount > 0
        except RuntimeError:
            return False


if __name__ == "__main__":
    unittest.main()
